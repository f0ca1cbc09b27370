"""Arguments that no input overrides."""

from typing import Any

import pytest

from horae.domain.targets import Target
from tests.unit.domain.refused import refused


@pytest.mark.parametrize(
    "target",
    [
        {"kind": "python", "function": "f", "arguments": {"a": 1}, "locked": ["a", "b"]},
        {
            "kind": "artifact",
            "uri": "file:///a.zip",
            "digest": "sha256:" + "0" * 64,
            "entrypoint": "main:run",
            "arguments": {"a": 1},
            "locked": ["a", "b"],
        },
    ],
)
def test_only_arguments_can_be_locked(target: dict[str, Any]):
    assert refused(Target, target) == (f"{target['kind']}.locked[1]", "must name one of the arguments")
