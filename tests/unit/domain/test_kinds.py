"""The lists of kinds are complete: a new kind of target or schedule cannot be forgotten in one of them."""

from typing import get_args

from horae.domain.jobs.kinds import SCHEDULE_KINDS, TARGET_KINDS
from horae.domain.targets import Target
from horae.domain.time.schedule import Schedule


def test_every_target_is_listed() -> None:
    union, _ = get_args(Target)
    assert sorted(model.model_fields["kind"].default for model in get_args(union)) == sorted(TARGET_KINDS)


def test_every_schedule_is_listed() -> None:
    union, *_ = get_args(Schedule)
    tagged = [get_args(one) for one in get_args(union)]
    assert sorted(tag.tag.strip("<>") for _, tag in tagged) == sorted(SCHEDULE_KINDS)
