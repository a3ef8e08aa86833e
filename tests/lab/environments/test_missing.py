"""An environment whose library is missing names the extra that has it."""

from __future__ import annotations

import sys

import pytest

from cornered import research
from cornered.lab.environments.missing import library


@pytest.mark.parametrize(
    ("module", "make"),
    [
        ("pettingzoo", research.pettingzoo_env),
        ("gymnasium", research.gymnasium_env),
        ("pyspiel", research.openspiel_game),
    ],
)
def test_the_extra_of_a_missing_library_is_named(module: str, make: object, monkeypatch: pytest.MonkeyPatch) -> None:
    class Missing:
        def find_spec(self, name: str, *_: object) -> None:
            if name == module:
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    for name in [name for name in sys.modules if name.split(".")[0] == module]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [Missing(), *sys.meta_path])
    assert callable(make)
    extra = "openspiel" if module == "pyspiel" else module
    with pytest.raises(
        ModuleNotFoundError, match=rf"{module}, which is not installed: pip install 'cornered\[{extra}\]'"
    ):
        make(research.load("trapgrid"))


def test_a_broken_library_is_no_missing_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "absent_dependency", None)
    with pytest.raises(ModuleNotFoundError, match="absent_dependency"):
        library("absent_dependency.inside", "lab")
