"""Validation messages of definitions."""

from typing import Any

import pytest
from pydantic import ValidationError

from horae.domain.jobs.job import JobSpec
from horae.domain.targets import TARGET_KINDS
from horae.domain.text.validation_text import readable


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ({"kind": "htp"}, f"must have as kind one of {', '.join(TARGET_KINDS)}"),
        ({"url": "http://example.org"}, "requires the field kind"),
    ],
)
def test_an_unknown_kind_is_answered_with_the_known_ones(target: Any, message: str):
    with pytest.raises(ValidationError) as raised:
        JobSpec.model_validate({"name": "x", "target": target})
    assert readable(raised.value.errors()) == [("target", message)]
