"""Isolation's lessons, with the heuristics of the references."""

from __future__ import annotations

from cornered.lab.lessons.answers import ends, fewest_replies, legal, slides, wins
from cornered.lab.lessons.lesson import Lesson, Step

__all__ = ["LESSONS"]

SMALL = {"width": 5, "height": 5}

LESSONS = (
    Lesson(
        "isolation",
        "Choose a place",
        SMALL,
        (
            Step(
                "The first move puts your piece on any free cell. Put it where you like.",
                legal,
                "There it stands. The other side now places its piece, and from then on both slide.",
                "Any free cell will do.",
            ),
        ),
    ),
    Lesson(
        "isolation",
        "Slide like a queen",
        SMALL,
        (
            Step(
                "Slide in a straight line, also diagonally, and this time over more than one cell.",
                slides,
                "Any distance in eight directions, as far as the way is free. The cell you left is blocked for ever.",
                "That is legal, but only one cell far. Try a longer slide.",
            ),
        ),
        "...../...../.0x../....1/..... 0",
    ),
    Lesson(
        "isolation",
        "The trap",
        SMALL,
        (
            Step(
                "Whoever cannot slide on their turn loses. Take the last way out from the diamond.",
                ends,
                "Nowhere to slide: you win.",
                "The diamond slides out through c4.",
                is_only=True,
            ),
        ),
        "x1x../xx.../.x.../...../..0.. 0",
    ),
    Lesson(
        "isolation",
        "The centre",
        {"width": 3, "height": 3},
        (
            Step(
                "You begin on a board of nine cells. One first move wins, whatever follows. Which?",
                wins,
                "From the centre you see every cell. Here it is the only move that wins; on larger boards it is a good "
                "start, but no more than that.",
                "The other side takes the centre and wins.",
                is_only=True,
            ),
        ),
    ),
    Lesson(
        "isolation",
        "Take moves away",
        SMALL,
        (
            Step(
                "A good rule of thumb: leave the other side as few moves as you can. Which slide leaves it the fewest?",
                fewest_replies,
                "Four replies, the fewest there are. In this position that is also the only move that wins.",
                "Another slide leaves the diamond fewer ways.",
                is_only=True,
            ),
        ),
        ".0.x./..x../xxxx1/.xx.x/..x.. 0",
    ),
    Lesson(
        "isolation",
        "Cut the board",
        SMALL,
        (
            Step(
                "You are the diamond, at e2. Shut the disc into its corner.",
                wins,
                "The disc is shut in with two cells, and you keep more. A slide can be a wall.",
                "The disc slips out along the bottom or past you.",
                is_only=True,
            ),
        ),
        "..xxx/xxxxx/xxx../xxx.1/..0x. 1",
    ),
    Lesson(
        "isolation",
        "Rules of thumb can fail",
        SMALL,
        (
            Step(
                "Counting moves is a guess, not a proof. Only one slide wins here: look at what the disc does next.",
                wins,
                "You saw it through. Counting helps to choose where to look; looking ahead decides.",
                "Tempting, but the other side has an answer.",
                is_only=True,
            ),
        ),
        "x..x./x.xxx/x0xx./.x..1/..x.. 1",
    ),
)
