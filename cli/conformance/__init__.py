"""The conformance kit: scenarios that check a client, or a server, against the protocol."""
