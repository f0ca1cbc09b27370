"""How events are sent: what of a portion, as what, and with which pauses."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pydantic import ValidationError

from horae.domain.notify.delivery import Sent
from horae.domain.sinks.listeners import Listener, Listeners
from horae.domain.sinks.sending import gives_up, most_at_once, pause_after, portion
from horae.domain.sinks.sink import FailingSink, Gap, OutboxEvent, SinkSpec, read_sink
from horae.domain.sinks.words import failing_in_words
from horae.domain.text.ids import NIL

AT = datetime(2026, 11, 15, 1, tzinfo=UTC)
HOOK = {"kind": "webhook", "url": "https://example.org/hook"}


def spec(**fields: Any) -> SinkSpec:
    return SinkSpec.model_validate({"target": HOOK, **fields})


def event(seq: int = 1, kind: str = "run.ended", **fields: Any) -> OutboxEvent:
    given: dict[str, Any] = {"project": "shop", "job_id": "j", "job_name": "nightly", "data": {"status": "failed"}}
    return OutboxEvent(seq=seq, id=f"e{seq}", type=kind, project_id="p", subject="r", at=AT, **{**given, **fields})


def test_an_event_is_a_cloud_event():
    ((wire, seq),) = portion(spec(), [event()], None, "https://horae.example.org").wire
    assert (seq, wire.key) == (1, "shop.run.ended")
    assert json.loads(wire.body) == {
        "specversion": "1.0",
        "id": "e1",
        "source": "https://horae.example.org",
        "type": "horae.run.ended",
        "subject": "runs/r",
        "time": "2026-11-15T01:00:00Z",
        "datacontenttype": "application/json",
        "project": "shop",
        "data": {"status": "failed", "job_name": "nightly"},
    }


def test_a_gap_comes_first():
    gap = Gap("g", 7, AT, AT + timedelta(hours=1))
    found = portion(spec(), [event()], gap, "/horae")
    assert [(wire.id, seq) for wire, seq in found.wire] == [("g", None), ("e1", 1)]
    assert json.loads(found.wire[0][0].body)["data"] == {
        "count": 7, "from": "2026-11-15T01:00:00Z", "until": "2026-11-15T02:00:00Z",
    }  # fmt: skip


def test_what_is_unwanted_or_damaged_is_not_sent():
    events = [event(1), event(2, "job.edited"), event(3, data=None), event(4, job_name="other"), event(5, "sink.test")]
    found = portion(spec(types=["run.*"], jobs=["night*"]), events, None, "/horae")
    assert [seq for _, seq in found.wire] == [1, 5]
    assert (found.unwanted, found.damaged) == ([2, 4], [3])


def test_after_a_failure_a_single_event_is_tried():
    assert [most_at_once(spec(target={**HOOK, "batch": 200}), tries) for tries in (0, 1, 9)] == [200, 1, 1]
    assert most_at_once(spec(target={"kind": "redis"}), 0) == 500


def test_pauses_grow_up_to_five_minutes_and_wishes_are_respected():
    assert [pause_after(tries, 0.5, None) for tries in (1, 2, 3, 9, 30, 5_000)] == [1, 2, 4, 256, 300, 300]
    assert pause_after(1, 0.5, 60.0) == 60
    assert pause_after(1, 0.5, 1e9) == 3_600


@pytest.mark.parametrize(("status", "dropped"), [(400, True), (413, True), (422, True), (403, False), (503, False)])
def test_only_what_is_about_the_event_itself_drops_it(status: int, dropped: bool):
    assert not gives_up(Sent("no", status=status), 9)
    assert gives_up(Sent("no", status=status), 10) is dropped


def test_listeners_of_a_project_and_of_all():
    known = Listeners([Listener("a", "p", frozenset({"run.ended"})), Listener("b", NIL, frozenset({"run.ended"}))])
    assert (known.of("run.ended", "p"), known.of("run.ended", "q"), known.of("run.queued", "p")) == (
        ["a", "b"],
        ["b"],
        (),
    )
    assert not known.of_claims
    assert Listeners([Listener("a", "p", frozenset({"run.started"}))]).of_claims


@pytest.mark.parametrize(
    "fields",
    [
        {"types": []},
        {"types": ["run.dreamt"]},
        {"target": {"kind": "pigeon"}},
        {"target": {**HOOK, "batch": 501}},
        {"target": {**HOOK, "url": "http://169.254.169.254/"}},
        {"target": {"kind": "amqp", "exchange": "a b"}},
        {"target": {"kind": "redis", "url": "redis://evil"}},
        {"keep_for": 59},
        {"max_waiting": 99},
    ],
)
def test_what_a_sink_may_not_say(fields: dict[str, Any]):
    with pytest.raises(ValidationError):
        spec(**fields)


def test_a_stored_sink_is_read_despite_unknown_fields():
    found, fault = read_sink({"target": {"kind": "amqp"}, "types": ["run.ended", "run.dreamt"], "newer": 1})
    assert (fault, found and found.types) == (None, ("run.ended",))
    assert read_sink(None) == (None, "it is not valid JSON")
    assert read_sink({"target": {"kind": "pigeon"}})[0] is None


def test_a_failing_sink_in_words():
    sink = FailingSink("lake", "shop", AT, "HTTP 503", 1_000)
    assert failing_in_words(sink, AT + timedelta(minutes=5)) == (
        "the sink lake of project shop has failed for 5 min: HTTP 503; it has lost 1000 events so far"
    )
