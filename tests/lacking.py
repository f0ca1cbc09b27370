"""What a machine must have for a test: without it the test is skipped, or fails where all of them must run."""

import os
from typing import NoReturn

import pytest

IN_CI = os.environ.get("CI", "").lower() in ("1", "true", "yes")


def lacking(reason: str) -> NoReturn:
    if IN_CI:
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)
