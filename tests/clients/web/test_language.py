"""The page's texts: each is in every catalogue, and what people read is never written past the catalogue."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from cornered import clients
from tests.clients.web.javascript import Token, tokens

WEB = Path(clients.__file__).parent / "web"
CATALOGUES = sorted(path for path in (WEB / "languages").glob("*.json") if "-" not in path.stem)
PARTS = {
    path.name: part
    for path in sorted(WEB.glob("*texts.js"))
    for part in re.findall(r'await extend\("(\w+)"\)', path.read_text(encoding="utf-8"))
}
"""Parts of the catalogue, by the modules from which other modules take its texts, and with which it is loaded."""
OF_PARTS = [path.with_stem(f"{path.stem}-{part}") for path in CATALOGUES for part in PARTS.values()]
HOLE = re.compile(r"\{\w+\}")
PLURALS = {"de": {"one", "other"}}
"""The plural categories of each language (CLDR)."""
SPOKEN = re.compile(r"[A-Za-z]{2,}[,;:.!?]? [A-Za-z{]|^[A-Z][a-z]+|\} [a-z]{2}|[a-z]{3}[.?!…]$")
"""Strings that people could read: several words, a capital, or the end of a sentence."""
ENGLISH = {"Cornered", "Minimax", "Edge", "Opera", "Firefox", "Chrome", "Safari", "Android", "Windows", "Linux"}
"""Names, which are the same in every language."""
UNSPOKEN = re.compile(
    r"^(Enter|Escape|Backspace|Space|Arrow\w*|Retry-After)$"  # keys of the keyboard and of a response
    r"|^(input|button)[, a-z]+$|^\(prefers-|^translate\(|^<a href="  # selectors, styles and code
    # Classes of elements.
    r"|^(advice( ring)?|area|cell blocked fresh|count|goal|link|node|piece|wall|bar flow panel|block|list|match"
    r"|who flow|told|plain|settings|board tiny|me chip|primary|move plain|small help|small account|new-tournament"
    r"|match loading)"
    r"\b[ a-z{}-]*$"
    r"|^cornered (replay|bot-report) [A-Za-z]"  # commands of a shell
    r"|^\{\}-hint \{\}-problem$"  # ids of elements
    r"|^\{\} (cannot be fetched|is answered with \{\})$"  # the causes of errors, for the console
)
UNTRANSLATED = {"pseudocode.js", "language.js", "offline.js", "sw.js"}
"""Modules with no text of the page: pseudocode is English as in textbooks, and says so to screen readers."""


@cache
def modules() -> dict[str, list[Token]]:
    return {path.name: tokens(path.read_text(encoding="utf-8")) for path in sorted(WEB.glob("*.js"))}


def calls(found: list[Token]) -> Iterator[tuple[str, list[Token]]]:
    """Yield the name of each call of language.js's functions of texts, and the tokens after its bracket."""
    for index, token in enumerate(found[:-1]):
        if token.kind == "word" and token.text in ("t", "rich", "counted") and found[index + 1].text == "(":
            yield token.text, found[index + 2 :]


def arguments(name: str, following: list[Token]) -> list[Token]:
    """Return the texts of a call: one, or of `counted` the two forms that follow the count."""
    if name != "counted":
        return following[:1]
    depth = commas = 0
    texts: list[Token] = []
    for token in following:
        depth += (token.text in "([{") - (token.text in ")]}") if token.kind == "mark" else 0
        if depth < 0 or len(texts) == 2:
            break
        commas += depth == 0 and token.text == "," and token.kind == "mark"
        if commas and token.kind in ("string", "template"):
            texts.append(token)
    return texts


def part_of(module: list[Token]) -> str:
    """Return the part of the catalogue from which a module has its texts; empty for the one of the whole page."""
    taken = (PARTS.get(token.text.removeprefix("./")) for token in module if token.kind == "string")
    return next((part for part in taken if part), "")


@cache
def keys(part: str) -> set[str]:
    """Return the keys of the texts of the modules that have them from a part of the catalogue."""
    found = set()
    for name, module in modules().items():
        if part_of(module) != part:
            continue
        for call, following in calls(module):
            texts = arguments(call, following)
            assert [text.kind for text in texts] in (["string"], ["string", "string"]), (name, call, following[:3])
            found.add(texts[-1].text)
    return found


def forms(entry: str | dict[str, str]) -> list[str]:
    return [entry] if isinstance(entry, str) else list(entry.values())


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.stem)
def test_a_catalogue_has_every_text_of_the_page_and_no_other(path: Path) -> None:
    texts = json.loads(path.read_text(encoding="utf-8"))["texts"]
    wanted = keys("")
    assert sorted(wanted - texts.keys()) == [], "texts without a translation"
    assert sorted(texts.keys() - wanted) == [], "translations of texts that are gone"


@pytest.mark.parametrize("path", OF_PARTS, ids=lambda path: path.stem)
def test_a_part_of_a_catalogue_has_the_texts_that_the_first_view_does_not_need(path: Path) -> None:
    texts = json.loads(path.read_text(encoding="utf-8"))["texts"]
    wanted = keys(path.stem.partition("-")[2]) - keys("")
    assert sorted(wanted - texts.keys()) == [], "texts without a translation"
    assert sorted(texts.keys() - wanted) == [], "translations of texts that are gone, or that the whole page has"


def test_parts_of_a_catalogue_translate_the_same_text_alike() -> None:
    # They are added to one catalogue, so the part that is loaded last would decide.
    found: dict[tuple[str, str], list[object]] = {}
    for path in OF_PARTS:
        for key, entry in json.loads(path.read_text(encoding="utf-8"))["texts"].items():
            said = found.setdefault((path.stem.partition("-")[0], key), [])
            if entry not in said:
                said.append(entry)
    assert {key: said for key, said in found.items() if len(said) > 1} == {}, "add a meaning: `Play[steps]`"


@pytest.mark.parametrize("path", [*CATALOGUES, *OF_PARTS], ids=lambda path: path.stem)
def test_a_translation_has_the_placeholders_of_its_text(path: Path) -> None:
    catalogue = json.loads(path.read_text(encoding="utf-8"))
    for key, entry in (*catalogue["texts"].items(), *catalogue["told"].items()):
        if isinstance(entry, dict):
            assert entry.keys() == PLURALS[path.stem.split("-")[0]], key
        # "The other move" needs no number, and a form may be chosen by a number that is in none of them.
        free = {"{count}"} if isinstance(entry, dict) else set()
        for form in forms(entry):
            assert set(HOLE.findall(form)) - free == set(HOLE.findall(key)) - free, key


def taught(name: str) -> set[str]:
    """Return the texts of a file of rules or lessons."""
    games = json.loads((WEB / name).read_text(encoding="utf-8")).values()
    found = {picture["words"] for game in games for picture in game.get("pictures", ())}
    for lesson in (lesson for game in games for lesson in game.get("lessons", ())):
        found.add(lesson["title"])
        for step in lesson["steps"]:
            found |= {step["ask"], step["right"], step["wrong"], *step["because"].values()}
    return found


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.stem)
def test_rules_and_lessons_are_in_every_language(path: Path) -> None:
    texts = json.loads(path.with_stem(f"{path.stem}-learn").read_text(encoding="utf-8"))
    assert texts.keys() == taught("rules.json") | taught("lessons.json")


def test_the_page_offers_the_languages_that_have_a_catalogue() -> None:
    source = (WEB / "language.js").read_text(encoding="utf-8")
    [offered] = re.findall(r"export const LANGUAGES = \{(.*)\};", source)
    assert re.findall(r"(\w+): ", offered) == ["en", *(path.stem for path in CATALOGUES)]


def test_what_people_read_is_in_the_catalogue() -> None:
    """A text that is written past it stays English in every language."""
    past = []
    for name, module in modules().items():
        if name in UNTRANSLATED:
            continue
        known = {id(text) for call, following in calls(module) for text in arguments(call, following)}
        past += [
            f"{name}:{token.line}: {token.text}"
            for token in module
            if token.kind in ("string", "template")
            and id(token) not in known
            and token.text not in ENGLISH
            and SPOKEN.search(token.text)
            and not UNSPOKEN.search(token.text)
        ]
    assert past == []
