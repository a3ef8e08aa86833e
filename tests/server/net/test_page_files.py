"""The page's files: encodings, entity tags, and changes while the server runs."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from cornered.server.adapters.journal_memory import MemoryJournal
from cornered.server.metrics import Counts, Metrics
from cornered.server.net.http import Pages
from cornered.server.net.page_files import PageFiles
from cornered.server.net.visitors import Visitor
from cornered.server.settings import Settings
from tests.server.net.test_http import Payer

TEXT = "export const words = 1;\n" * 100


@pytest.fixture
async def pages(tmp_path: Path) -> Pages:
    (tmp_path / "main.js").write_text(TEXT)
    (tmp_path / "index.html").write_text("<p>Cornered</p>" * 100)
    (tmp_path / "tiny.js").write_text("1;")
    (tmp_path / "icon.png").write_bytes(bytes(1000))
    pages = Pages(tmp_path, MemoryJournal(), Metrics(Counts(), {}), lambda: "")
    await pages.prepare()
    return pages


async def ask(pages: Pages, path: str, *, method: str = "GET", **fields: str) -> Response:
    headers = Headers({name.replace("_", "-"): value for name, value in fields.items()})
    request = Request(path, headers)
    request.method = method
    return await pages.answer(request, path, Visitor("127.0.0.1", is_direct=True), Payer())


async def test_a_file_is_sent_compressed_to_those_who_accept_it(pages: Pages) -> None:
    plain = await ask(pages, "/main.js")
    packed = await ask(pages, "/main.js", Accept_Encoding="gzip, deflate, br")
    assert plain.body == gzip.decompress(packed.body) == TEXT.encode()
    assert len(packed.body) < len(plain.body) / 5
    assert packed.headers["Content-Encoding"] == "gzip"
    assert "Content-Encoding" not in plain.headers
    assert int(packed.headers["Content-Length"]) == len(packed.body)
    assert plain.headers["Content-Type"] == packed.headers["Content-Type"]
    # A cache between here and there keeps both.
    assert plain.headers["Vary"] == packed.headers["Vary"] == "Accept-Encoding"


async def test_what_compression_does_not_make_smaller_is_sent_as_it_is_and_head_has_the_headers_of_get(
    pages: Pages,
) -> None:
    for path in ("/tiny.js", "/icon.png"):
        answer = await ask(pages, path, Accept_Encoding="gzip")
        assert not {"Content-Encoding", "Vary"} & {*answer.headers}
    for encoding in ("", "gzip"):
        full = await ask(pages, "/main.js", Accept_Encoding=encoding)
        head = await ask(pages, "/main.js", method="HEAD", Accept_Encoding=encoding)
        assert head.body == b""
        assert {**head.headers, "Date": ""} == {**full.headers, "Date": ""}


async def test_each_encoding_has_an_entity_tag_of_its_own(pages: Pages) -> None:
    plain = await ask(pages, "/main.js")
    packed = await ask(pages, "/main.js", Accept_Encoding="gzip")
    tags = plain.headers["ETag"], packed.headers["ETag"]
    assert tags[0] != tags[1]
    for tag in tags:
        kept = await ask(pages, "/main.js", If_None_Match=tag)
        assert kept.status_code == (304 if tag == tags[0] else 200)
        kept = await ask(pages, "/main.js", If_None_Match=tag, Accept_Encoding="gzip")
        assert kept.status_code == (304 if tag == tags[1] else 200)


async def test_an_unchanged_file_is_confirmed_without_a_body(pages: Pages) -> None:
    full = await ask(pages, "/", Accept_Encoding="gzip")
    tag = full.headers["ETag"]
    for named in (tag, f'"other", {tag}', f"W/{tag}", "*"):
        kept = await ask(pages, "/", Accept_Encoding="gzip", If_None_Match=named)
        assert (kept.status_code, kept.body) == (304, b"")
        for name in ("ETag", "Vary", "Cache-Control", "Content-Security-Policy"):
            assert kept.headers[name] == full.headers[name]
        # A cache would apply them to the body that it has.
        assert not {"Content-Length", "Content-Type", "Content-Encoding"} & set(kept.headers)


async def test_a_change_is_noticed_in_both_encodings(pages: Pages, tmp_path: Path) -> None:
    tag = (await ask(pages, "/main.js", Accept_Encoding="gzip")).headers["ETag"]
    changed = TEXT.replace("1", "2")
    (tmp_path / "main.js").write_text(changed)
    # The size is the same, so only the time of the change shows it.
    os.utime(tmp_path / "main.js", ns=(1, 1))
    answer = await ask(pages, "/main.js", Accept_Encoding="gzip", If_None_Match=tag)
    assert (answer.status_code, gzip.decompress(answer.body)) == (200, changed.encode())
    assert (await ask(pages, "/main.js")).body == changed.encode()
    (tmp_path / "main.js").unlink()
    assert (await ask(pages, "/main.js")).status_code == 404


async def test_a_file_is_found_by_no_other_spelling_of_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    web = tmp_path / "web"
    (web / "parts").mkdir(parents=True)
    (web / "main.js").write_text(TEXT)
    (web / "parts" / "part.js").write_text(TEXT)
    resolve = Path.resolve
    # As on a disk that does not tell capitals apart.
    monkeypatch.setattr(Path, "resolve", lambda path: resolve(path.with_name(path.name.lower())))
    files = PageFiles(web)
    await files.read_all()
    for name in ("MAIN.js", "parts/Part.js", "parts//part.js", "./main.js", "parts/../main.js"):
        assert await files.find(name) is None, name
        assert name not in files
    (web / "parts" / "new.js").write_text(TEXT)
    assert await files.find("parts/new.js") is not None


async def test_no_link_leads_out_of_the_folder(tmp_path: Path) -> None:
    web = tmp_path / "web"
    web.mkdir()
    (tmp_path / "secret.txt").write_text("secret")
    (web / "main.js").write_text(TEXT)
    (web / "out.txt").symlink_to(tmp_path / "secret.txt")
    (web / "alias.js").symlink_to(web / "main.js")
    (web / "loop.js").symlink_to(web / "loop.js")
    (web / "notes.md").write_text("internal")
    files = PageFiles(web)
    await files.read_all()
    for name in ("out.txt", "../secret.txt", "loop.js", "notes.md", "missing.js", "\0.js"):
        assert name not in files
        assert await files.find(name) is None
    assert "alias.js" in files
    assert await files.find("alias.js") is not None


async def test_the_shipped_page_is_in_memory_when_the_server_listens() -> None:
    settings = Settings()
    files = PageFiles(settings.web)
    await files.read_all()
    main = await files.find("main.js")
    assert main is not None
    assert main.gzipped is not None


async def test_the_service_worker_brings_the_policy_of_a_page(tmp_path: Path) -> None:
    """Its own policy governs what it fetches; scripts of a page are governed by that of the page."""
    for name in ("sw.js", "main.js", "index.html"):
        (tmp_path / name).write_text(TEXT)
    pages = Pages(tmp_path, MemoryJournal(), Metrics(Counts(), {}), lambda: "")
    worker, script, page = [
        (await ask(pages, path)).headers["Content-Security-Policy"] for path in ("/sw.js", "/main.js", "/")
    ]
    assert worker == page != script
    assert "default-src 'self'" in worker
    assert "default-src 'none'" in script
