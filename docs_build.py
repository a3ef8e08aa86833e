"""Hooks of the documentation site: pages of the repository's root join those of docs/, without a copy.

`mkdocs.yml` names this file. A document links to the files of the repository as they lie there; here these links become
links of the site. A file that is no page, such as an example, is published beside the pages.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Final, NamedTuple

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from pymdownx.slugs import slugify

ROOT: Final = Path(__file__).resolve().parent
LINK: Final = re.compile(r"(\]\()([^)\s]+)(\))")
FENCE: Final = re.compile(r"^(?P<indent> *)```(?P<kind>[a-z]+) (?P<path>\S+)$", re.MULTILINE)
CODE: Final = re.compile(r"^( *)```.*?^\1```$|`[^`\n]+`", re.MULTILINE | re.DOTALL)


class Document(NamedTuple):
    """A file of the repository's root that is a page, whole or one section of it."""

    path: str
    section: str | None = None


DOCUMENTS: Final = {
    "architecture.md": Document("ARCHITECTURE.md"),
    "changes.md": Document("CHANGELOG.md"),
    "contribute.md": Document("CONTRIBUTING.md"),
    "add-a-game.md": Document("CONTRIBUTING.md", "Add a game"),
    "games.md": Document("GAMES.md"),
    "protocol.md": Document("PROTOCOL.md"),
    "report-a-vulnerability.md": Document("SECURITY.md"),
}
"""The pages whose text is outside docs/, by their paths in the site."""
PUBLISHED: Final = ("deploy", "examples")
"""Folders whose files are published beside the pages, for links."""
WHOLE: Final = {one.path: page for page, one in DOCUMENTS.items() if one.section is None}


def source_of(page: str) -> str:
    """Return the file of the repository that has the text of a page, relative to the root."""
    return DOCUMENTS[page].path if page in DOCUMENTS else f"docs/{page}"


def document(page: str) -> str:
    """Return the text of a page whose source is outside docs/. A section that is a page of its own is not part of the
    whole: a link stands in its place. Raises PluginError where a section is missing."""
    path, section = DOCUMENTS[page]
    text = (ROOT / path).read_text(encoding="utf-8")
    if section is not None:
        return re.sub(r"^##", "#", _section(text, section), flags=re.MULTILINE)
    for other, (whole, part) in DOCUMENTS.items():
        if whole == path and part is not None:
            text = text.replace(_section(text, part), f"## {part}\n\nHas [a page of its own](docs/{other}).\n\n")
    return text


def _section(text: str, title: str) -> str:
    found = re.search(rf"^## {re.escape(title)}\n.*?(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    if found is None:
        raise PluginError(f"there is no section {title!r}; docs_build.py names it")
    return found[0]


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Name headings as GitHub does, so that one link leads to a section in both places."""
    config.mdx_configs["toc"]["slugify"] = slugify(case="lower")
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the documents of the root, and the examples."""
    for page in DOCUMENTS:
        files.append(File.generated(config, page, content=document(page)))
    for path in sorted(path for folder in PUBLISHED for path in (ROOT / folder).iterdir() if path.is_file()):
        files.append(File.generated(config, path.relative_to(ROOT).as_posix(), abs_src_path=str(path)))
    files.append(File.generated(config, "icon.svg", abs_src_path=str(ROOT / "clients" / "web" / "icon.svg")))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turn links between files of the repository into links of the site, and the file names of code into titles."""
    here = page.file.src_uri
    folder = posixpath.dirname(source_of(here))

    def target(found: re.Match[str]) -> str:
        address, _, anchor = found[2].partition("#")
        if not address or "://" in address or address.startswith("mailto:"):
            return found[0]
        path = posixpath.normpath(posixpath.join(folder, address))
        if (path, anchor) == ("CONTRIBUTING.md", "add-a-game"):
            path, anchor = "docs/add-a-game.md", ""
        if path == "README.md":
            path = "docs/index.md"
        published = WHOLE.get(path) or path.removeprefix("docs/")
        if files.get_file_from_path(f"{published}/README.md") is not None:
            published = f"{published}/README.md"
        if files.get_file_from_path(published) is None:
            raise PluginError(f"{source_of(here)} links to {path}, which is no page; name it without a link")
        relative = posixpath.relpath(published, posixpath.dirname(here) or ".")
        return f"{found[1]}{relative}{'#' if anchor else ''}{anchor}{found[3]}"

    parts, end = [], 0
    for code in CODE.finditer(markdown):
        parts += [LINK.sub(target, markdown[end : code.start()]), code[0]]
        end = code.end()
    text = "".join([*parts, LINK.sub(target, markdown[end:])])
    return FENCE.sub(r'\g<indent>```\g<kind> title="\g<path>"', text)
