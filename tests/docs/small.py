"""What takes the place of a page's numbers, names and machines in the blocks that are marked `in small` or `until`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tests.docs.blocks import Block

__all__ = ["SMALLER", "in_small"]

SHARE_PACKAGES: Final = (
    "python3 -c \"import pathlib, site; (new,) = pathlib.Path('cornered-env').glob('lib/*/site-packages'); "
    "(new / 'shared.pth').write_text(f'import site; site.addsitedir({site.getsitepackages()[0]!r})')\""
)
"""Has a new environment show the packages of the tests' environment, in which `pip` has nothing to fetch."""

SMALLER: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "docs/bots/first-bot.md": (
        ("python3 -m venv cornered-env", f"python3 -m venv --without-pip cornered-env && {SHARE_PACKAGES}"),
    ),
    "docs/dataset.md": (
        ("--games 1000 --bot champion --depth 2", "-o size=5 --games 2 --bot random --depth 1 --workers 1"),
    ),
    # The first command makes the store that the others need.
    "docs/ratings.md": (
        ("cornered admin ratings check ", "cornered admin accounts invite && cornered admin ratings check "),
    ),
    "docs/strength.md": (
        ("cornered bench strength        ", "cornered bench strength isolation -t 0.002 --games 2 -w 1 "),
        ("-t 0.02 --range margin", "-t 0.002 --iterations 1 --pairs 1 -w 1 --range margin"),
        ("-n 3000 --iterations 220", "-n 50 --iterations 1 --pairs 1 -w 1"),
        ("-t 0.2 --games 100", "-t 0.002 --games 2 -w 1"),
        ("-t 0.05 --games 400", "-t 0.002 --games 2 -w 1"),
    ),
    "docs/operations.md": (
        # A player that has come once, which a new account has not.
        ("cornered admin moderation ban NAME", "cornered token Rude && cornered admin moderation ban Rude"),
        ("moderation mute NAME", "moderation mute Rude"),
        # The log of the test has two measures, and no report: that one is refused.
        ("lift 7", "lift 1"),
        ("cornered admin moderation close 12", "! cornered admin moderation close 12"),
        # The account of the test has played no match.
        ("cornered fairplay NAME", "! cornered fairplay NAME"),
        # No name of the network is looked up.
        ("http://collector.example:4318", "http://127.0.0.1:9"),
    ),
}
"""For each page the texts that are replaced."""


def in_small(page: str, block: Block) -> Block:
    """Return a block as it is run."""
    text = block.text
    for shown, small in SMALLER.get(page, ()):
        text = text.replace(shown, small)
    return block._replace(text=text)
