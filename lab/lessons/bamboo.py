"""Bamboo's lessons: its two clauses above all."""

from __future__ import annotations

from cornered.lab.lessons.answers import grows, keeps_groups, legal, new_group, wins
from cornered.lab.lessons.lesson import Lesson, Step

__all__ = ["LESSONS"]

SMALL = {"radius": 2}

LESSONS = (
    Lesson(
        "bamboo",
        "One stone, one group",
        SMALL,
        (
            Step(
                "Put a stone on any cell.",
                legal,
                "A stone alone is a group of one. You have one group now, and its largest has one stone.",
                "Any free cell will do.",
            ),
        ),
    ),
    Lesson(
        "bamboo",
        "The limit",
        SMALL,
        (
            Step(
                "No group may have more stones than you have groups. You have one group: keep to the rule.",
                legal,
                "Two groups of one stone each. Now a group may have two stones.",
                "Beside your stone it would become a group of two, and you have only one group.",
            ),
        ),
        ".../..../.0.1./..../... 0",
    ),
    Lesson(
        "bamboo",
        "Grow",
        SMALL,
        (
            Step(
                "You have two groups, so one of them may grow to two stones. Make a group of two.",
                grows,
                "Two groups, the largest of two: that is exactly the limit.",
                "That is legal, but it begins a third group. Place beside one of your stones.",
            ),
        ),
        "0.1/..../...../..../1.0 0",
    ),
    Lesson(
        "bamboo",
        "Raise the limit",
        SMALL,
        (
            Step(
                "Your group of two is at the limit. Begin a new group, and the limit rises for all of them.",
                new_group,
                "Three groups: now each may have three stones. More groups means more freedom.",
                "Place where no stone of yours is next to it.",
            ),
        ),
        "0.1/0..1/...../..../1.0 0",
    ),
    Lesson(
        "bamboo",
        "Joining costs groups",
        {"radius": 3},
        (
            Step(
                "A stone between two groups makes one of them. You have four groups, the largest of four: if two join, "
                "the limit falls to three. Place a stone without joining groups.",
                keeps_groups,
                "Your groups stay apart and the limit stays. Dimmed cells say what would go wrong there.",
                "That would join groups.",
            ),
        ),
        "0000/...../.....1/0.0.0.1/.....1/.1.1./1.1. 0",
    ),
    Lesson(
        "bamboo",
        "The rim is safe",
        SMALL,
        (
            Step(
                "A corner touches three cells only, so a stone there rarely joins others. Place where you win.",
                wins,
                "A corner. Placing outside first beats careless players nearly always. It is no law, though: on this "
                "board the second player wins against every first move if it plays well.",
                "Nearer to the middle a stone touches up to six cells and is soon in your own way.",
            ),
        ),
        "01./..../...../..../... 0",
    ),
    Lesson(
        "bamboo",
        "No cell left",
        SMALL,
        (
            Step(
                "Whoever cannot place loses. Leave the other side no legal cell.",
                wins,
                "Free cells are left, but none that the rule allows the other side. You win.",
                "The other side could still place.",
                is_only=True,
            ),
        ),
        "100/011./0.0.1/..11/100 0",
    ),
    Lesson(
        "bamboo",
        "Keep cells for later",
        SMALL,
        (
            Step(
                "You are the diamond. Cells that only you may use are moves in reserve. One move wins: which?",
                wins,
                "Yes. You keep the cells that the other side may not touch, and it runs out first.",
                "Then the other side has the last move.",
                is_only=True,
            ),
        ),
        "101/1..0/0...0/0..1/1.0 1",
    ),
)
