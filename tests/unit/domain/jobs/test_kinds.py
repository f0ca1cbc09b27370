"""The lists of kinds are complete: a new kind of target or schedule cannot be forgotten in one of them."""

from pathlib import Path
from typing import get_args

from horae.domain.jobs.kinds import SCHEDULE_KINDS
from horae.domain.targets import TARGET_KINDS
from horae.domain.time.schedule import Schedule
from horae.wiring.executors import BUILDERS

PAGES = Path(__file__).resolve().parents[4] / "docs" / "targets"


def test_every_target_has_an_executor_and_a_page() -> None:
    assert sorted(BUILDERS) == sorted(TARGET_KINDS) == sorted(page.stem for page in PAGES.glob("*.md"))


def test_every_schedule_is_listed() -> None:
    union, *_ = get_args(Schedule)
    tagged = [get_args(one) for one in get_args(union)]
    assert sorted(tag.tag.strip("<>") for _, tag in tagged) == sorted(SCHEDULE_KINDS)
