"""How schedulers share the shards."""

import pytest

from horae.processes.duties.shards import fair_share


@pytest.mark.parametrize("shards", [1, 7, 64, 4096])
@pytest.mark.parametrize("count", range(1, 11))
def test_shares_add_up_and_differ_by_one_at_most(shards: int, count: int) -> None:
    live = [f"scheduler-{n}" for n in range(count)]
    shares = [fair_share(live, me, shards) for me in live]
    assert sum(shares) == shards
    assert max(shares) - min(shares) <= 1


def test_with_one_shard_one_is_active_and_the_others_stand_by() -> None:
    assert [fair_share(["c", "a", "b"], me, 1) for me in "abc"] == [1, 0, 0]


def test_a_scheduler_not_listed_yet_counts_itself() -> None:
    assert fair_share(["a"], "b", 64) == 32
