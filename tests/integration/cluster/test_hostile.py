"""One job cannot keep a worker from executing others."""

import pytest

from tests.integration.cluster.cluster import Make

pytestmark = [pytest.mark.slow, pytest.mark.sqlite]

SLOW = "{% for a in range(496) %}{% set x = range(500) | map('urlencode') | list %}{% endfor %}"


async def test_templates_that_do_too_much_end_their_own_run_alone(make_cluster: Make) -> None:
    cluster = await make_cluster("sqlite")
    target = {"kind": "http", "url": "http://127.0.0.1:9/", "query": {f"q{n}": SLOW for n in range(12)}}
    hostile = await cluster.create("hostile", target, timeout=60)
    plain = await cluster.create("plain", {"kind": "python", "function": "nothing"})
    runs = [*await cluster.run(hostile, 3), *await cluster.run(plain, 3)]
    await cluster.start_worker()
    found = [await cluster.ended(run) for run in runs]
    assert [run.status for run in found] == 3 * ["failed"] + 3 * ["succeeded"]
    for run in found[:3]:
        assert str(run.error).startswith("query.q0: the templates of the target do too much: more than ")
        assert run.attempt == 1, "it would be the same the next time"
