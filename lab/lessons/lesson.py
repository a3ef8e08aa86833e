"""A lesson: a few steps, each with a position, a question, the answers by a rule that is computed, and sentences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NotRequired, TypeAlias, TypedDict

from cornered import engine
from cornered.engine import OptionValue, State
from cornered.lab.puzzles.scene import Scene, scene

__all__ = ["Answers", "Lesson", "LessonData", "Step", "StepData"]

Answers: TypeAlias = Callable[[State], list[str]]
"""Computes the right moves of a position, so that no lesson can claim what is not so."""


@dataclass(frozen=True, slots=True)
class Step:
    """One question. `because` has sentences for single wrong moves; `reply` is the other side's move after the answer,
    which is then the only right one, and leads to the next step."""

    ask: str
    answers: Answers
    right: str
    wrong: str
    because: Mapping[str, str] = field(default_factory=dict)
    reply: str = ""
    is_only: bool = False
    """Whether the words say that there is one answer."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """`position` is the first step's; without one it is the start."""

    game: str
    title: str
    options: Mapping[str, OptionValue]
    steps: tuple[Step, ...]
    position: str = ""

    def data(self) -> LessonData:
        """Return the lesson as the page loads it. Raises ValueError where its words do not fit its positions."""
        board = engine.load(self.game, **self.options)
        state = board.parse(self.position) if self.position else board.start()
        steps = []
        seat = state.to_move
        for step in self.steps:
            right = step.answers(state)
            self._check(step, state, right)
            one = StepData(
                ask=step.ask,
                scene=scene(state, has_refusals=True),
                after={move: scene(state.play(move)) for move in right},
                right=step.right,
                wrong=step.wrong,
                because=dict(step.because),
            )
            if step.reply:
                state = engine.apply(engine.apply(state, right[0]), step.reply)
                one["reply"] = step.reply
            steps.append(one)
        return LessonData(
            title=self.title, options=dict(self.options), start=str(board.start()), seat=seat, steps=steps
        )

    def _check(self, step: Step, state: State, right: list[str]) -> None:
        legal = state.moves()
        if not right or not set(right) <= set(legal):
            raise ValueError(f"{self.title!r}: {right} are no answers in {state}")
        if (step.reply or step.is_only) and len(right) != 1:
            raise ValueError(f"{self.title!r} speaks of one answer, but there are {right} in {state}")
        if (step is self.steps[-1]) == bool(step.reply):
            raise ValueError(f"{self.title!r}: each step but the last has a reply")
        if not set(step.because) <= set(legal) - set(right):
            raise ValueError(f"{self.title!r} explains {set(step.because)}, which are no wrong moves in {state}")


class StepData(TypedDict):
    """A step in the shipped file; `after` has the position after each right move."""

    ask: str
    scene: Scene
    after: dict[str, Scene]
    right: str
    wrong: str
    because: dict[str, str]
    reply: NotRequired[str]


class LessonData(TypedDict):
    """A lesson in the shipped file."""

    title: str
    options: dict[str, OptionValue]
    start: str
    seat: int
    steps: list[StepData]
