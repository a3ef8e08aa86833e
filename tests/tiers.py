"""The tiers of tests: a pytest plugin that runs those that the command line asks for.

Every test is in one tier. `core` is what runs where nothing is named. The marker `thorough` takes a test out of it, and
so do the folders bench, docs, e2e and examples, where the marker `core` keeps some. Of the page that is playing and
learning; most other views are thorough, since each takes a browser half a minute. The marker `campaign` is for what
takes minutes or the whole machine.
"""

from __future__ import annotations

import sys
from typing import Final, Literal, TypeAlias

import pytest

__all__ = ["Tier", "tier_of"]

Tier: TypeAlias = Literal["core", "thorough", "campaign"]
FLAGS: Final[dict[Tier, str]] = {"thorough": "--thorough", "campaign": "--campaigns"}
SLOW_FOLDERS: Final = frozenset({"bench", "docs", "e2e", "examples"})
"""Their tests measure, or start servers, browsers and programs; they are thorough unless they are marked `core`."""
GROUP: Final = "campaigns"
"""Campaigns are one group of pytest-xdist, which runs them in one process, one after the other."""


def tier_of(item: pytest.Item) -> Tier:
    """Return the tier of a test. Of several markers `campaign` counts first, and `core` last."""
    if item.get_closest_marker("campaign") is not None:
        return "campaign"
    if item.get_closest_marker("thorough") is not None:
        return "thorough"
    is_slow = not SLOW_FOLDERS.isdisjoint(item.path.relative_to(item.config.rootpath).parts[1:2])
    if is_slow and item.get_closest_marker("core") is None:
        return "thorough"
    return "core"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        FLAGS["thorough"],
        action="store_true",
        help="run all tests but the campaigns, as where tests are named",
    )
    parser.addoption(
        FLAGS["campaign"],
        action="store_true",
        help="run the campaigns too, which take minutes or the whole machine: attacks, faults, fuzzer, soak, load",
    )


def pytest_configure(config: pytest.Config) -> None:
    # The workers of pytest-xdist get the same arguments.
    if config.args_source is pytest.Config.ArgsSource.ARGS:
        config.option.thorough = True


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the tiers that are not asked for, and run campaigns one at a time.

    Campaigns need Linux's loopback network, namespaces and /proc, and an otherwise idle machine."""
    kept, left = list[pytest.Item](), list[pytest.Item]()
    for item in items:
        tier = tier_of(item)
        (kept if tier == "core" or config.getoption(FLAGS[tier]) else left).append(item)
        if tier == "campaign":
            item.add_marker(pytest.mark.xdist_group(GROUP))
            if sys.platform != "linux":
                item.add_marker(pytest.mark.skip(reason="needs Linux's loopback network and /proc"))
    if left:
        items[:] = kept
        config.hook.pytest_deselected(items=left)
