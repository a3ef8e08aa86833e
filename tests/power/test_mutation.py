"""Which mutants there are, and which of them a sample takes."""

from __future__ import annotations

import ast

from tests.power.mutants import ROOT, equivalent
from tests.power.mutation import Mutant, mutants_of, mutated_sources, sample

PATH = "engine/numbers.py"
SOURCE = '''
"""A module."""

LIMIT: int = 7


@kernel
def clipped(value: int, most: int = 9) -> int:
    """Return at most `most`."""
    if value > most:
        return most - most % 10
    return value


class Counter:
    @property
    def is_full(self) -> bool:
        return self.count == 3 and not self.is_closed

    async def next(self, kind: str) -> str | None:
        match kind:
            case "up":
                self.count += 1
            case "down" if self.count > 0:
                self.count -= 1
            case _:
                assert_never(kind)
        raise ValueError("no such kind")
'''


def found(source: str = SOURCE) -> list[Mutant]:
    return mutants_of(PATH, source)


def test_functions_are_mutated_whatever_decorates_them_and_what_runs_at_the_import_is_not() -> None:
    changes = {(mutant.function, mutant.before, mutant.after) for mutant in found()}
    assert {
        ("clipped", "> most", ">= most"),
        ("Counter.is_full", "not self.is_closed", "self.is_closed"),
        ("Counter.next", 'case "up"', "no such case"),
        ("Counter.next", "self.count += 1", "self.count -= 1"),
        ("Counter.next", "> 0", ">= 0"),
    } <= changes
    assert {function for function, _, _ in changes} == {"clipped", "Counter.is_full", "Counter.next"}
    unchanged = ("LIMIT", "assert_never", "Return at most", "XX")
    assert not [one for one in changes if any(word in text for word in unchanged for text in one[1:])]
    assert all(mutant.is_kernel == (mutant.function == "clipped") for mutant in found())


def test_each_mutant_is_a_program_with_another_meaning_and_the_lines_of_its_change() -> None:
    mutants = {mutant.key: mutant for mutant in found()}
    sources = mutated_sources(PATH, SOURCE, mutants)
    assert sources.keys() == mutants.keys()
    original = ast.dump(ast.parse(SOURCE))
    assert original not in {ast.dump(ast.parse(source)) for source in sources.values()}
    for key, source in sources.items():
        pairs = zip(SOURCE.splitlines(), source.splitlines(), strict=False)
        changed = next(number for number, (old, new) in enumerate(pairs, 1) if old != new)
        first, last = mutants[key].lines
        # The line of a case that is dropped follows that of its match.
        assert first <= changed <= last or mutants[key].operator == "match"


def test_a_sample_stays_whatever_is_edited_elsewhere() -> None:
    edited = SOURCE.replace("LIMIT: int = 7", "LIMIT: int = 8\nOTHER = 3").replace("class Counter:", "class Counter:\n")
    keys = [mutant.key for mutant in sample(found(), 1, 8)]
    assert len(keys) == len(set(keys)) == 8
    assert [mutant.key for mutant in sample(found(edited), 1, 8)] == keys
    assert [mutant.key for mutant in sample(found(), 2, 8)] != keys
    assert [mutant.key for mutant in sample(found(), 1, 5)] == keys[:5]


def test_mutants_of_a_function_that_is_gone_are_replaced() -> None:
    without = SOURCE[: SOURCE.index("@kernel")] + SOURCE[SOURCE.index("class Counter") :]
    before, after = (
        {mutant.key: mutant for mutant in sample(found(source), 1, len(found(without)))} for source in (SOURCE, without)
    )
    assert len(after) == len(before)
    kept = {key for key, mutant in before.items() if mutant.function != "clipped"}
    assert kept < before.keys()
    assert kept <= after.keys()


def test_equal_changes_in_one_function_are_told_apart() -> None:
    source = "def f(a, b):\n    return a + 1, b + 1\n"
    keys = [mutant.key for mutant in found(source)]
    assert len(keys) == len(set(keys))
    assert len(set(mutated_sources(PATH, source, keys).values())) == len(keys)


def test_each_equivalent_mutant_is_one_of_the_code_and_says_why() -> None:
    for key, named in equivalent().items():
        mutants = {
            mutant.key: mutant for mutant in mutants_of(named["path"], (ROOT / named["path"]).read_text("utf-8"))
        }
        assert key in mutants, f"{named['path']} has no mutant {key} any more: judge it again"
        assert f"{mutants[key].before} -> {mutants[key].after}" == named["change"]
        assert len(named["why"]) > 20
