"""What a server tells its operator who opens it to the network: its address, as a QR code too, and what that means."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import Final

from cornered.cli.missing_extra import advice

__all__ = ["EVERY_ADDRESS", "invitation", "qr_code"]

EVERY_ADDRESS: Final = "0.0.0.0"
"""The address to listen on, so that others on the network reach the server."""
SAFETY: Final = (
    "Anyone on this network can open that address and play, without a password. Nothing is encrypted: use it at home "
    "or in class, and never open this port to the internet."
)
_WHITE_ON_BLACK: Final = "\033[97;40m"
"""The blocks are the light part of the code, which a terminal with dark letters would show inverted."""
_AS_BEFORE: Final = "\033[0m"
NO_NETWORK: Final = "This machine has no address on a network. Connect it to one, then start the server again."


def invitation(addresses: Sequence[str], encoding: str) -> Iterator[str]:
    """Yield the lines for people on the network, whom `addresses` are for; `encoding` is that of the terminal."""
    if not addresses:
        yield NO_NETWORK
        return
    yield f"On the network it is at {' and '.join(addresses)}"
    yield from qr_code(addresses[0], encoding)
    yield SAFETY


def qr_code(text: str, encoding: str) -> Iterator[str]:
    """Yield the lines of a QR code in half blocks, or one that says why there is none."""
    try:
        import segno
    except ImportError as error:
        yield f"There is no QR code: {advice(error)}"
        return
    drawn = io.StringIO()
    segno.make(text, error="m", micro=False).terminal(drawn, compact=True)
    try:
        drawn.getvalue().encode(encoding)
    except (UnicodeEncodeError, LookupError):
        yield "There is no QR code: this terminal shows no block characters."
        return
    for line in drawn.getvalue().splitlines():
        yield f"{_WHITE_ON_BLACK}{line}{_AS_BEFORE}"
