"""The cache of jobs that were triggered."""

from horae.domain.jobs.job_record import JobHead
from horae.store.jobs.heads import HeadMemo


def test_few_heads_are_remembered_and_only_small_ones() -> None:
    memo = HeadMemo()
    for number in range(3_000):
        memo.keep("project", str(number), JobHead(str(number), "project", 1, "{}"))
    memo.keep("project", "large", JobHead("large", "project", 1, " " * 1_000_000))
    known = [ref for ref in [*map(str, range(3_000)), "large"] if memo.recall("project", ref)]
    assert known == [str(number) for number in range(2_000, 3_000)]
