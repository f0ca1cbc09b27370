"""What the jobs of a project may call."""

import pytest

from horae.config import kinds
from horae.domain.targets import CeleryTarget
from horae.domain.targets.celery_limits import CeleryLimits


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
        assert (None if reason is None else reason.field.removeprefix("target.")) == expected, (project, task)


def test_without_limits_and_with_tasks_only() -> None:
    anything = CeleryTarget(task="x", queue="y")
    assert CeleryLimits().refusal("a", anything) is None
    refusal = CeleryLimits({"*": ("*",)}).refusal("a", anything)
    assert refusal is not None
    assert refusal.field == "target.queue"
    assert "allows it none" in refusal.reason


def test_a_refusal_names_what_is_allowed_and_nothing_of_other_projects() -> None:
    refusal = CeleryLimits({"a": ("shop.*",), "b": ("bank.pay",), "*": ("ping",)}).refusal("a", CeleryTarget(task="x"))
    assert refusal is not None
    assert refusal.reason.endswith("HORAE_CELERY_TASKS allows it shop.*, ping")


def test_queues_that_are_not_for_tasks() -> None:
    reserved = ("amq.gen-x", "celeryev", "celeryev.0b1c", "celery.pidbox", "w1@host.celery.pidbox", "horae.default")
    for queue in (*reserved, "9c.reply.celery.pidbox", "_kombu.binding.celery", "unacked_index", "celery-task-meta-1"):
        refusal = CeleryLimits().refusal("a", CeleryTarget(task="x", queue=queue))
        assert refusal is not None, queue
        assert (refusal.field, "is reserved" in refusal.reason) == ("target.queue", True)
    for queue in ("celery", "mail", "horae", "amq"):
        assert CeleryLimits().refusal("a", CeleryTarget(task="x", queue=queue)) is None


def test_how_they_are_written() -> None:
    assert kinds.by_project("shop=shop.*, shop=mail.send,*=x") == {"shop": ("shop.*", "mail.send"), "*": ("x",)}
    assert kinds.by_project({"shop": ["a", "b"], "*": "c"}) == {"shop": ("a", "b"), "*": ("c",)}
    for wrong in ("", "shop", "shop=", "=x", 7, {"shop": [1]}):
        with pytest.raises(ValueError, match="pairs of a project"):
            kinds.by_project(wrong)
