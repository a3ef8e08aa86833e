"""The errors of a task group: the single one that a caller can act on."""

from __future__ import annotations

import pytest

from cornered.clients.sdk import Closed, CommandRefused, unwrapped_errors

REFUSED = CommandRefused("bad_token", "nobody has this token")


def test_the_one_error_of_a_group_is_raised_as_itself_and_those_who_waited_hide_it_not() -> None:
    with pytest.raises(CommandRefused) as raised, unwrapped_errors():
        raise ExceptionGroup("tasks", [REFUSED])
    assert raised.value is REFUSED

    inner = ExceptionGroup("the caller's tasks", [Closed("first"), Closed("second")])
    with pytest.raises(CommandRefused) as raised, unwrapped_errors():
        raise ExceptionGroup("tasks", [REFUSED, inner, Closed("third")])
    assert raised.value is REFUSED
    assert raised.value.__context__ is None


def test_a_closed_client_is_told_where_nothing_else_went_wrong_and_several_errors_stay_a_group() -> None:
    with pytest.raises(Closed, match="first"), unwrapped_errors():
        raise ExceptionGroup("tasks", [Closed("first")])
    with pytest.raises(ExceptionGroup) as raised, unwrapped_errors():
        raise ExceptionGroup("tasks", [REFUSED, KeyError("mine"), Closed("first")])
    assert len(raised.value.exceptions) == 3
