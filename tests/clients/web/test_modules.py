"""The page's modules: the browser is told of all that the first view needs at once, and of nothing else."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from cornered import clients
from cornered.protocol.account import MAX_PASSWORD, MAX_TOKEN_DAYS, MIN_PASSWORD
from cornered.protocol.analysis import MAX_RECORD_CHARACTERS
from cornered.protocol.traces import MAX_TRACE_CELLS, MAX_TRACE_MOVES
from cornered.server.lobby import pool_pairing

WEB = Path(clients.__file__).parent / "web"
STATIC_IMPORT = re.compile(r"^import\s(?:[^;\"]*\sfrom\s)?\"\./(?P<name>[\w.-]+)\";$", re.MULTILINE)
PRELOADED = re.compile(r'<link rel="modulepreload" href="(?P<name>[^"]+)">')


def imported(name: str, found: set[str]) -> set[str]:
    """Return `found` with the modules that a module imports statically, and those that these import."""
    for one in STATIC_IMPORT.findall((WEB / name).read_text()):
        if one not in found:
            found.add(one)
            imported(one, found)
    return found


def test_every_module_of_the_first_view_is_preloaded() -> None:
    """Otherwise the browser finds each one only after the module that imports it."""
    preloaded = PRELOADED.findall((WEB / "index.html").read_text())
    assert preloaded == sorted(imported("main.js", set())), "update the list of modulepreload in clients/web/index.html"


def test_the_service_worker_changes_with_the_files_that_it_keeps() -> None:
    """Browsers ask for them again only where the script has changed."""
    script = (WEB / "sw.js").read_text()
    [page] = re.findall(r'const PAGE = "([^"]+)";', script)
    [others] = re.findall(r"const FILES = \[PAGE, ([^\]]+)\];", script)
    files = [page, *re.findall(r'"([^"]+)"', others)]
    digest = hashlib.sha256(b"".join((WEB / name).read_bytes() for name in files)).hexdigest()[:12]
    assert f'const KEPT = "offline-{digest}";' in script


def test_all_pages_of_a_list_are_asked_for_in_turn() -> None:
    """Many pages in a row are too fast for the limits of a player: `askInTurn` waits as long as the server says."""
    pages = re.compile(r"for \(let after\b.*?\bafter = \w+\.more;", re.DOTALL)
    loops = [
        (module.name, loop) for module in WEB.glob("*.js") for loop in pages.findall(module.read_text(encoding="utf-8"))
    ]
    assert loops
    assert not [name for name, loop in loops if "link.ask(" in loop]


def test_the_page_offers_to_show_searches_as_far_as_the_server_does() -> None:
    actions = (WEB / "actions.js").read_text(encoding="utf-8")
    assert f"const MOST_CELLS = {MAX_TRACE_CELLS};" in actions
    assert f"const MOST_MOVES = {MAX_TRACE_MOVES};" in actions


def test_the_page_opens_records_as_long_as_the_server_reads() -> None:
    opening = (WEB / "opening.js").read_text(encoding="utf-8")
    assert f"const MOST_CHARACTERS = {MAX_RECORD_CHARACTERS};" in opening


def test_the_page_tells_the_window_of_quick_pairing_as_the_server_widens_it() -> None:
    pools = (WEB / "pools.js").read_text(encoding="utf-8")
    assert f"const FIRST_WINDOW = {pool_pairing.FIRST_WINDOW:.0f};" in pools
    assert f"const GROWTH = {pool_pairing.GROWTH:.0f};" in pools
    assert f"const UNBOUNDED_AFTER_MS = {pool_pairing.UNBOUNDED_AFTER_MS:_};" in pools


def test_the_page_bounds_passwords_and_tokens_as_the_server_does() -> None:
    fields = (WEB / "fields.js").read_text(encoding="utf-8")
    assert f"const MIN_PASSWORD = {MIN_PASSWORD};" in fields
    assert f"const MAX_PASSWORD = {MAX_PASSWORD};" in fields
    days = re.search(r"const DAYS = \[(.*)\];", (WEB / "signedin.js").read_text(encoding="utf-8"))
    assert days is not None
    assert max(map(int, days[1].split(", "))) == MAX_TOKEN_DAYS


def test_only_one_function_decodes_parts_of_an_address() -> None:
    """`decodeURIComponent` throws for what no encoding is, and the view of that address would never open."""
    decoding = [module.name for module in WEB.glob("*.js") if "decodeURI" in module.read_text(encoding="utf-8")]
    assert decoding == ["route.js"]
