"""Functions by path: what may be registered, and what operators allow."""

import pytest

from horae.domain.errors import InvalidInput
from horae.domain.jobs.function_path import FunctionPath, allowed, check_registration, path_fault


@pytest.mark.parametrize("path", ["shop.tasks.send", "shop._private.send", "a.b", "shop.Box.put"])
def test_paths_that_may_be_registered(path: str) -> None:
    assert path_fault(path) is None
    check_registration(FunctionPath("send", path))


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("os.system", "standard library"),
        ("subprocess.run", "standard library"),
        ("builtins.exec", "standard library"),
        ("posix.system", "standard library"),
        ("horae.sdk.task.task", "of Horae"),
        ("shop.__loader__.load", "two underscores"),
        ("shop", "must be the path"),
        ("shop.", "must be the path"),
        ("shop tasks.send", "must be the path"),
        ("shop=x.send", "must be the path"),
        ("shöp.send", "must be the path"),
        ("s." + "x" * 500, "must be the path"),
    ],
)
def test_paths_that_are_refused(path: str, words: str) -> None:
    with pytest.raises(InvalidInput, match=words) as refused:
        check_registration(FunctionPath("evil", path))
    assert refused.value.field == "handler_path"


@pytest.mark.parametrize("name", ["horae.mine", "1st", "a b", "", "x=y"])
def test_names_that_are_refused(name: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        check_registration(FunctionPath(name, "shop.send"))
    assert refused.value.field == "name"


def test_allowed_modules_include_their_submodules_only() -> None:
    assert allowed("shop.tasks.send", None)
    assert allowed("shop.tasks.send", ("billing", "shop"))
    assert not allowed("shop.tasks.send", ("shop.task",))
    assert not allowed("shop.tasks.send", ())
