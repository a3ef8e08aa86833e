"""Groups on the server: classes and clubs, each a stream of events. Pure."""
