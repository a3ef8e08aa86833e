"""People who come back: whom they follow and block, and of what they are notified. Pure."""
