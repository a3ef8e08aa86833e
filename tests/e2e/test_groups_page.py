"""A class in browsers: a code is entered, an event opened, its clocks paused from the wall, the results downloaded."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.accounts import register, sheet
from tests.e2e.window import DESK, PHONE, OpenWindow, Window

pytestmark = pytest.mark.browser


def go(page: Page, route: str) -> None:
    page.evaluate("route => { location.hash = route; }", route)


def create_group(teacher: Window, name: str) -> str:
    """Create a class in the page; return its code."""
    page = teacher.page
    go(page, "#/groups")
    page.get_by_role("button", name="Create a class or club").click()
    sheet(teacher, "Create a class or club").locator("input[name=name]").fill(name)
    sheet(teacher, "Create a class or club").get_by_role("button", name="Create it").click()
    expect(page.get_by_role("heading", name=name)).to_be_visible()
    code = page.locator(".group-code").get_attribute("data-code")
    assert code is not None
    return code


def join(member: Window, code: str, name: str) -> None:
    """Follow the link of an invitation under a name, without an account."""
    page = member.page
    go(page, f"#/join/{code}")
    page.get_by_label("Your name, as the others know you").fill(name)
    page.get_by_role("button", name="Join", exact=True).click()
    expect(page.get_by_role("listitem").filter(has_text=name)).to_be_visible()


def test_a_class_plays_an_event_that_its_teacher_leads_from_the_wall(
    open_window: OpenWindow, axe: str, tmp_path: Path
) -> None:
    teacher = open_window(size=DESK)
    members = [open_window(size=DESK), open_window(size=DESK), open_window(size=PHONE)]
    register(teacher, "Teal")
    code = create_group(teacher, "Class 7b")
    names = ("Ada", "Bruno", "Clara")
    for member, name in zip(members, names, strict=True):
        join(member, code, name)
    page = teacher.page
    expect(page.get_by_text("4 members · 4 here now")).to_be_visible()
    assert teacher.violations(axe) == []
    page.get_by_label("Message to all").fill("Please take part")
    page.get_by_role("button", name="Send", exact=True).click()
    for member in members:
        expect(member.page.locator(".toast").filter(has_text="Please take part")).to_be_visible()

    page.get_by_role("button", name="Open an event").click()
    sheet(teacher, "Open an event").locator("input[name=name]").fill("Tuesday")
    sheet(teacher, "Open an event").locator("select[name=game]").select_option("trapgrid")
    sheet(teacher, "Open an event").get_by_role("button", name="Open it").click()
    expect(page.get_by_role("heading", name="Tuesday")).to_be_visible()
    for member in members:
        member.page.get_by_role("button", name="Take part").click()
    expect(page.get_by_text("3 players take part")).to_be_visible()
    page.get_by_role("button", name="Start", exact=True).click()
    page.get_by_role("button", name="Pair by hand").click()
    pairs = sheet(teacher, "Pair by hand")
    pairs.get_by_role("button", name=re.compile("Ada")).click()
    pairs.get_by_role("button", name=re.compile("Clara")).click()
    expect(pairs.locator(".pairs li")).to_have_count(1)
    assert teacher.violations(axe) == []
    pairs.get_by_role("button", name="Start the games").click()

    tile = page.locator(".wall-tile")
    expect(tile).to_have_count(1)
    expect(tile).to_contain_text("Ada")
    around, board = tile.bounding_box(), tile.locator(".board").bounding_box()
    assert around is not None
    assert board is not None
    assert around["x"] <= board["x"] < board["x"] + board["width"] <= around["x"] + around["width"]
    # The file of a tournament is public, so its page leads to the wall instead, where the class's results are.
    go(page, page.url.partition("#")[2].replace("/wall/", "/tournament/"))
    expect(page.locator("a[href$='.csv']")).to_have_count(0)
    page.get_by_role("link", name="Wall of boards").click()
    expect(tile).to_have_count(1)
    assert teacher.violations(axe) == []
    players = [members[0], members[2]]
    for player in players:
        player.in_match()
    page.get_by_role("button", name="Pause all clocks").click()
    for player in players:
        expect(player.status).to_have_text("Paused by the organiser")
    expect(tile).to_contain_text("Paused")
    expect(page.get_by_text("all clocks are paused")).to_be_visible()
    expect(players[0].page.locator(".cell.target")).to_have_count(0)
    page.get_by_role("button", name="Resume").click()
    players[0].await_turn()
    players[0].make(players[0].targets()[0])
    expect(players[1].status).to_have_text("Your turn")

    with page.expect_download() as downloading:
        page.get_by_role("button", name="Download results (CSV)").click()
    assert downloading.value.suggested_filename == "Tuesday.csv"
    file = tmp_path / "results.csv"
    downloading.value.save_as(file)
    lines = file.read_text(encoding="utf-8-sig").splitlines()
    assert lines[0] == "Tuesday"
    assert {line.split(",")[1] for line in lines[3:6]} == set(names)
    assert lines[-1].startswith("1,1,Ada,Clara,")


def test_a_member_sees_no_tools_of_the_teacher_and_a_wrong_code_admits_nobody(
    open_window: OpenWindow, axe: str
) -> None:
    teacher, member = open_window(size=DESK), open_window(size=PHONE)
    register(teacher, "Gadwall")
    code = create_group(teacher, "Club")
    page = member.page
    go(page, "#/join/WRONGXYZ")
    # Members are known by a name, so a guest has to give one.
    page.get_by_role("button", name="Join", exact=True).click()
    expect(page.locator("input[name=name]:invalid")).to_be_visible()
    page.get_by_label("Your name, as the others know you").fill("Dora")
    page.get_by_role("button", name="Join", exact=True).click()
    expect(page.get_by_text("no group has this code", exact=False)).to_be_visible()
    join(member, code, "Dora")
    assert member.violations(axe) == []
    for tool in ("Open an event", "Settings", "New code", "Remove"):
        expect(page.get_by_role("button", name=tool)).to_have_count(0)
    expect(page.locator(".group-code")).to_have_count(0)
    teacher.page.get_by_role("button", name="Remove Dora").click()
    teacher.page.get_by_role("button", name="Remove Dora").click()
    expect(page.get_by_role("heading", name="Classes and clubs")).to_be_visible()
    expect(page.get_by_text("You are in no class or club yet.")).to_be_visible()
