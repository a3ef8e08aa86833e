"""The site builds without a warning, has every page of docs/ in its navigation, and loads nothing from another host."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import docs_build
from cornered.cli.screenshots import running_browser
from tests.docs.blocks import ROOT, navigation
from tests.programs import require

BUILD_S = 600.0

pytestmark = pytest.mark.xdist_group("site")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site. `--strict` makes a page outside the navigation, a dead link and a missing anchor an error."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=BUILD_S,
    )
    assert done.returncode == 0, done.stderr
    return folder


def test_every_page_is_in_the_navigation_once() -> None:
    listed = navigation()
    assert len(listed) == len(set(listed))
    written = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    # The sections of reproduction.md as files of their own, and the columns of its data.
    written = {page for page in written if not page.startswith("reproduction/")}
    assert set(listed) == written | docs_build.DOCUMENTS.keys()


def test_the_reference_of_the_engine_begins_with_what_a_bot_uses(site: Path) -> None:
    named = re.findall(r'id="cornered\.engine\.([\w.]+)"', (site / "api" / "engine.html").read_text())
    assert named[:2] == ["load", "State"]
    first, last = named.index("State.moves"), named.index("Outcome")
    assert {"State.moves", "State.play", "State.to_move", "State.outcome"} <= set(named[first - 2 : last])
    assert named.index("Game") > last


def test_no_page_names_a_file_of_another_host_to_load(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 40
    for page in pages:
        loaded = re.findall(r"<(?:script|link|img|iframe)\b[^>]*?(?:src|href)=\"?(https?:)?//", page.read_text())
        assert loaded == [], page


def test_the_search_index_has_every_page(site: Path) -> None:
    index = json.loads((site / "search" / "search_index.json").read_text())
    found = {entry["location"].partition("#")[0] for entry in index["docs"]}
    assert {page.removesuffix(".md") + ".html" for page in navigation()} <= found


@pytest.mark.browser
def test_the_search_of_a_site_that_is_opened_from_disk_finds_a_page(site: Path) -> None:
    require("chromium")
    asked: list[str] = []
    with running_browser() as browser:
        page = browser.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.goto((site / "bots" / "time.html").as_uri())
        # It searches on keys: a value that is set at once is found only when the focus it gives happens to come later.
        page.get_by_role("textbox", name="Search").press_sequentially("quoridor text protocol")
        page.locator(".md-search-result__link", has_text="The Quoridor Text Protocol").first.wait_for()
    assert {urlsplit(url).scheme for url in asked} <= {"file", "data", "blob"}
