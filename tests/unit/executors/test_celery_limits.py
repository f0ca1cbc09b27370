"""What the jobs of a project may call."""

import pytest

from horae.config import kinds
from horae.domain.targets import CeleryTarget
from horae.executors.celery_limits import CeleryLimits


def test_tasks_and_queues_of_projects() -> None:
    limits = CeleryLimits({"a": ("shop.*",), "*": ("common.ping",)}, {"a": ("orders",)})
    cases = {
        ("a", "shop.pay", None): None,
        ("a", "shop.pay", "orders"): None,
        ("a", "shop.pay", "others"): "queue",
        ("b", "shop.pay", None): "task",
        ("b", "common.ping", None): None,
        ("b", "common.ping", "orders"): "queue",
        ("a", "SHOP.pay", None): "task",
    }
    for (project, task, queue), expected in cases.items():
        reason = CeleryLimits.refusal(limits, project, CeleryTarget(task=task, queue=queue))
        assert (reason is None) if expected is None else (reason is not None and expected in reason), (project, task)


def test_without_limits_and_with_tasks_only() -> None:
    anything = CeleryTarget(task="x", queue="y")
    assert CeleryLimits().refusal("a", anything) is None
    assert "queue" in (CeleryLimits({"*": ("*",)}).refusal("a", anything) or "")


def test_how_they_are_written() -> None:
    assert kinds.by_project("shop=shop.*, shop=mail.send,*=x") == {"shop": ("shop.*", "mail.send"), "*": ("x",)}
    assert kinds.by_project({"shop": ["a", "b"], "*": "c"}) == {"shop": ("a", "b"), "*": ("c",)}
    for wrong in ("", "shop", "shop=", "=x", 7, {"shop": [1]}):
        with pytest.raises(ValueError, match="pairs of a project"):
            kinds.by_project(wrong)
