"""TrapGrid's lessons, with the strategy guide of the references, corrected where it is wrong."""

from __future__ import annotations

from cornered.lab.lessons.answers import legal, wins
from cornered.lab.lessons.lesson import Lesson, Step

__all__ = ["LESSONS"]

SMALL = {"size": 5}

LESSONS = (
    Lesson(
        "trapgrid",
        "One step",
        SMALL,
        (
            Step(
                "You are the disc. Step to a free cell beside you: up, down, left or right.",
                legal,
                "The cell you left is crossed out. Nobody can enter it again, so the board shrinks with every move.",
                "A step goes one cell up, down, left or right.",
                reply="",
            ),
        ),
    ),
    Lesson(
        "trapgrid",
        "No step, no game",
        {"size": 6},
        (
            Step(
                "Whoever cannot step on their turn loses. Take the diamond's last free cell.",
                wins,
                "The diamond has nowhere to go. You win.",
                "The diamond would still have a step.",
                {"a4": "You are safe there, but the diamond steps to a2 and lives."},
                is_only=True,
            ),
        ),
        "xx..../.xx.../..x.../0xx.../..xxx./1xx.xx 0",
    ),
    Lesson(
        "trapgrid",
        "Dead ends",
        SMALL,
        (
            Step(
                "The diamond is walled off and has two steps left. You need more. Which way do you go?",
                wins,
                "Four steps against two: the diamond runs out first.",
                "Count the steps behind each door.",
                {"b2": "Behind b2 there is nothing. You would be stuck while the diamond can still step."},
                is_only=True,
            ),
        ),
        "..xx./..xx1/x0xx./x.xx./xxxxx 0",
    ),
    Lesson(
        "trapgrid",
        "Steps count, not cells",
        {},
        (
            Step(
                "The diamond has three steps left. On your left are five cells, on your right four. Which way?",
                wins,
                "Right: four cells in a row are four steps. On the left, forks waste cells: five cells, three steps. "
                "The old advice to count whether cells are odd or even fails here; what counts is the longest path.",
                "Draw the longest path without turning back, and count its steps.",
                {"c4": "Five cells, but after a fork you cannot come back: only three steps, and you need four."},
                is_only=True,
            ),
        ),
        "xxxxxxx/xxxxxxx/xx.xxxx/...0..x/xx.xx.x/xxxxx.x/1...xxx 0",
    ),
    Lesson(
        "trapgrid",
        "Leave nothing behind",
        SMALL,
        (
            Step(
                "Now you are the diamond, at b2, and the disc is walled off above you. Use every cell: where first?",
                wins,
                "First the corner, then the way out. A cell that you pass by is lost, for there is no way back.",
                "You would leave cells behind that you can never reach again.",
                {"b1": "Then a1 and a2 are a dead end, and the way on leaves them behind: one step short."},
                is_only=True,
            ),
        ),
        "xxx../..x../.0x../.1xx./...xx 1",
    ),
    Lesson(
        "trapgrid",
        "Close the door",
        SMALL,
        (
            Step(
                "Cut the board in two, with the larger part on your side.",
                wins,
                "The door is shut: eleven cells for you, one for the diamond. Dividing well is how most games are won.",
                "The diamond comes through, and then it is a race in the open.",
                is_only=True,
            ),
        ),
        "xx.../xx.../x..../0.xx./.1xxx 0",
    ),
    Lesson(
        "trapgrid",
        "Close it now, or wait?",
        SMALL,
        (
            Step(
                "You are the diamond, at c1. One step wins against everything the disc can try. Which?",
                wins,
                "Yes. The disc is left with two cells while you walk through the open part of the board.",
                "The disc gets out that way.",
                is_only=True,
            ),
        ),
        "x..../x..../xx.../0x.xx/..1xx 1",
    ),
)
