"""Quoridor's lessons."""

from __future__ import annotations

from cornered.lab.lessons.answers import jumps, nearer, wins
from cornered.lab.lessons.lesson import Lesson, Step

__all__ = ["LESSONS"]

SMALL = {"size": 5, "walls": 1}
BARE = {"size": 5, "walls": 0}

LESSONS = (
    Lesson(
        "quoridor",
        "Run",
        SMALL,
        (
            Step(
                "You are the disc and want to reach the far side. Step towards it.",
                nearer,
                "One step closer. Who reaches the far side first wins.",
                "The edge in your colour is your goal. Go straight for it.",
            ),
        ),
    ),
    Lesson(
        "quoridor",
        "Jump",
        SMALL,
        (
            Step(
                "The diamond stands in your way. Jump over it.",
                jumps,
                "A jump goes straight over the other pawn and saves a move. Stand face to face when it is your turn.",
                "You may go there, but the jump takes you two rows at once.",
                is_only=True,
            ),
        ),
        "...../...../..1../..0../..... 0 left=1,1",
    ),
    Lesson(
        "quoridor",
        "Jump sideways",
        SMALL,
        (
            Step(
                "Now a wall is behind the diamond. Then you may jump to its left or its right.",
                jumps,
                "With a wall or the edge behind the other pawn, the jump turns left or right.",
                "Look at the cells beside the diamond.",
            ),
        ),
        "...../...../..1../..0../..... 0 walls=c3h left=0,1",
    ),
    Lesson(
        "quoridor",
        "Count the race",
        BARE,
        (
            Step(
                "No walls are left, so this is a race. You need two moves and are to move. Go!",
                wins,
                "Count both ways before each move: when you are ahead, and no wall can change it, just run.",
                "You have no time for detours.",
                is_only=True,
            ),
        ),
        "...../...../.0.1./...../..... 0 left=0,0",
    ),
    Lesson(
        "quoridor",
        "The wall that decides",
        SMALL,
        (
            Step(
                "You are the diamond and need two moves, but the disc needs only one. Place your wall where it helps.",
                wins,
                "c4h lies right before the disc and reaches over two cells: its way is now longer than yours.",
                "The disc steps home at once.",
                is_only=True,
            ),
        ),
        "...../..0../..1../...../..... 1 walls=b4v left=0,1",
    ),
    Lesson(
        "quoridor",
        "Walls in time",
        SMALL,
        (
            Step(
                "You are the diamond again and have the last wall. Only one move wins.",
                wins,
                "A wall is worth most when it lengthens the other way by more steps than the move costs you.",
                "Count again: after that the disc is first.",
                is_only=True,
            ),
        ),
        "...../..1../.0.../...../..... 1 walls=d1h left=0,1",
    ),
)
