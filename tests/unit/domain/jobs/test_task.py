"""Describing a function by its signature."""

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from horae.domain.errors import InvalidInput
from horae.domain.jobs.task import Context, Registry, describe


async def everything(a: int, *args: int, b: int, c: int = 0, context: Context, **rest: int) -> None: ...


def plain(a: int, b: int = 0) -> None: ...


def test_reads_the_signature() -> None:
    function = describe(everything)
    assert function.name == "everything"
    assert function.is_async
    assert function.takes_context
    assert function.takes_any
    assert function.accepts == {"a", "b", "c"}
    assert function.requires == {"a", "b"}
    assert not describe(plain).is_async


@pytest.mark.parametrize(
    ("arguments", "misfit"),
    [
        ({"a"}, None),
        ({"a", "b"}, None),
        (set(), "plain: missing argument a"),
        ({"b"}, "plain: missing argument a"),
        ({"a", "z", "y"}, "plain: unknown arguments y, z"),
        ({"z"}, "plain: missing argument a; unknown argument z"),
        ({"a", "context"}, "plain: unknown argument context"),
    ],
)
def test_names_what_does_not_fit(arguments: set[str], misfit: str | None) -> None:
    assert describe(plain).misfit(arguments) == misfit


def test_context_is_not_an_argument() -> None:
    assert describe(everything).misfit({"a", "b", "anything"}) is None
    assert describe(everything).misfit({"a", "b", "context"}) == "everything: unknown argument context"


def test_many_names_are_cut() -> None:
    misfit = describe(plain).misfit({"a", *(f"x{n:03}" for n in range(500))})
    assert misfit is not None
    assert len(misfit) < 120


def generator() -> Iterator[int]:
    yield 1


async def async_generator() -> AsyncIterator[int]:
    yield 1


def positional(a: int, /) -> None: ...


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: None, "is not a name for a task"),
        (generator, "a generator cannot be a task"),
        (async_generator, "a generator cannot be a task"),
        (positional, "argument a must not be positional-only"),
        (dict.fromkeys, "positional-only"),
        (max, "does not reveal its arguments"),
    ],
)
def test_refuses_what_no_run_could_call(call: Callable[..., Any], words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        describe(call)


@pytest.mark.parametrize("name", ["", "9lives", "a b", "a-b", "ü", "x" * 201, "a\n", ".a"])
def test_refuses_names_that_a_job_cannot_have(name: str) -> None:
    with pytest.raises(InvalidInput, match="is not a name for a task"):
        describe(plain, name=name)


@pytest.mark.parametrize("timeout", [0, -1, float("nan")])
def test_refuses_a_senseless_timeout(timeout: float) -> None:
    with pytest.raises(InvalidInput, match="more than 0 seconds"):
        describe(plain, timeout=timeout)


def test_two_functions_of_one_name_are_refused() -> None:
    registry = Registry()
    registry.add(describe(plain))
    registry.add(describe(plain, timeout=5))  # the same function again: its module was reloaded
    assert [(function.name, function.timeout) for function in registry] == [("plain", 5)]
    with pytest.raises(InvalidInput, match=r"two tasks are named plain: .*\.plain and .*\.everything"):
        registry.add(describe(everything, name="plain"))
