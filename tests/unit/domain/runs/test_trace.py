"""Trace context: what is taken from callers, and the ids of a run's own spans."""

import pytest

from horae.clock import SystemIds
from horae.domain.runs.trace import LENGTH, is_sampled, parse_traceparent, span_id_of, trace_id_of

TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
GOOD = f"00-{TRACE}-{SPAN}-01"


def test_a_valid_traceparent_is_parsed() -> None:
    found = parse_traceparent(GOOD)
    assert found == (TRACE, SPAN, True)
    assert found is not None
    assert (found.header, len(found.header)) == (GOOD, LENGTH)


@pytest.mark.parametrize(
    ("text", "sampled"),
    [
        (f"00-{TRACE}-{SPAN}-00", False),
        (f"00-{TRACE}-{SPAN}-02", False),  # other flags are not ours to pass on
        (f"00-{TRACE}-{SPAN}-03", True),
        (f"cc-{TRACE}-{SPAN}-01", True),  # of a later version: what is known of it counts
        (f"cc-{TRACE}-{SPAN}-01-what-the-future-will-be-like", True),
    ],
)
def test_flags_and_later_versions(text: str, sampled: bool) -> None:
    found = parse_traceparent(text)
    assert found is not None
    assert found.header == f"00-{TRACE}-{SPAN}-{'01' if sampled else '00'}"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "00",
        GOOD[:-1],
        f"{GOOD}-",
        f"{GOOD}-more",
        f"{GOOD}0",
        f" {GOOD}",
        f"{GOOD}\n",
        GOOD.upper(),
        GOOD.replace("-", "_"),
        f"ff-{TRACE}-{SPAN}-01",
        f"0-{TRACE}-{SPAN}-01",
        f"cc-{TRACE}-{SPAN}-01.more",
        f"cc-{TRACE}-{SPAN}-01-" + "x" * 1_000_000,
        f"00-{'0' * 32}-{SPAN}-01",
        f"00-{TRACE}-{'0' * 16}-01",
        f"00-{TRACE[:-1]}g-{SPAN}-01",
        f"00-{TRACE}-{SPAN}-0x",
        f"00-{TRACE[:-1]}٣-{SPAN}-01",
    ],
)
def test_what_is_malformed_is_ignored(text: str) -> None:
    assert parse_traceparent(text) is None


def test_ids_follow_from_the_run_s_id() -> None:
    run_id = SystemIds().new()
    assert trace_id_of(run_id, None) == run_id.replace("-", "")
    assert trace_id_of(run_id, GOOD) == TRACE
    assert parse_traceparent(f"00-{trace_id_of(run_id, None)}-{span_id_of(run_id, 'run')}-01") is not None
    assert len({span_id_of(run_id, what) for what in ("run", "attempt 1", "attempt 2", "wait 1")}) == 4
    assert span_id_of(run_id, "run") == span_id_of(run_id, "run")


def test_a_share_of_all_traces() -> None:
    traces = [trace_id_of(SystemIds().new(), None) for _ in range(2_000)]
    assert all(is_sampled(trace, 1) for trace in traces)
    assert not any(is_sampled(trace, 0) for trace in traces)
    assert 350 < sum(is_sampled(trace, 0.25) for trace in traces) < 650
