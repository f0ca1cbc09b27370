"""Without the extra, everything can be imported, and the message names what to install."""

import sys

import pytest

from horae.domain.errors import ConfigurationError
from horae.engines.celery_broker import Broker, reason


def test_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "celery", None)
    with pytest.raises(ConfigurationError, match=r"pip install 'horae\[celery\]'"):
        Broker("redis://127.0.0.1/0")


def test_a_reason_has_no_password() -> None:
    assert reason(OSError("cannot connect to amqp://horae:secret@broker:5672//")) == (
        "cannot connect to amqp://***@broker:5672//"
    )
    assert reason(TimeoutError()) == "TimeoutError"
