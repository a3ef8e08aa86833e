"""docs/experiments-for-students.md: its commands name experiments and bots that exist, its links lead somewhere."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from cornered.lab.contests.terms import ContestTerms
from cornered.lab.experiments import REFERENCES, experiments
from cornered.lab.experiments.findings import Finding
from cornered.lab.experiments.judging import exact
from cornered.lab.experiments.pages import report
from tests.cli.conftest import run

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "experiments-for-students.md"


def anchors() -> set[str]:
    """Return the names that links into a report of all experiments can lead to."""
    findings = [
        Finding(one.name, one.title, one.source, "", 1, "tiny", (exact("stones", "3", (3, 3), 4),))
        for one in experiments().values()
    ]
    text = report(findings, REFERENCES, "reproduction")
    headings = re.findall(r"^#+ (.+)$", text, re.M)
    return {
        *re.findall(r'<a id="([^"]+)">', text),
        *(re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings),
    }


def test_a_step_has_one_command_something_to_look_at_and_one_question() -> None:
    steps = re.split(r"^## \d+\. ", PAGE.read_text(), flags=re.M)[1:]
    assert len(steps) > 10
    for step in steps:
        title = step.split("\n")[0]
        assert len(re.findall(r"^```sh\n.+\n```$", step, re.M)) == 1, title
        assert step.count("*Question:*") == 1, title
        assert "](" in step or "Look at" in step, title


def test_the_experiments_of_its_commands_exist() -> None:
    named = re.findall(r"reproduce (\S+) --quick", PAGE.read_text())
    assert len(named) >= 10
    assert set(named) <= {*experiments(), "all"}


def test_its_match_can_be_played() -> None:
    (command,) = re.findall(r"\./run cornered match (.+)", PAGE.read_text())
    first, second, *options = shlex.split(command)
    given = dict(zip(options[::2], options[1::2], strict=True))
    name, _, value = given["-o"].partition("=")
    ContestTerms.of(given["--game"], {name: int(value)}).check(first, second)
    told = run("match", "--help", COLUMNS="200").stdout
    assert all(re.search(rf"(?<!\S){option}[ ,]", told) for option in given)


def test_its_links_lead_somewhere() -> None:
    known = anchors()
    for target in re.findall(r"\]\(([^)]+)\)", PAGE.read_text()):
        path, _, anchor = target.partition("#")
        assert (PAGE.parent / path).exists(), target
        assert not anchor or anchor in known, target
