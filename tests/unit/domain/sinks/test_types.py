"""The types of events, held to the domain events that they come from and to the page that lists them."""

import re
import typing
from datetime import UTC, datetime
from pathlib import Path

from horae.domain.cluster import log_events
from horae.domain.people.audit import Deed
from horae.domain.runs import events
from horae.domain.runs.claim import Claimed, Leased
from horae.domain.runs.ending import Ended, Overdue
from horae.domain.runs.outcome import SUCCEEDED
from horae.domain.runs.run import NewRun, Skipped
from horae.domain.runs.run_record import RunRecord
from horae.domain.runs.states import AttemptOutcome, RunStatus, Trigger
from horae.domain.sinks.drafts import EventDraft, drafts
from horae.domain.sinks.types import JOB_ACTIONS, OF_SINKS, RUN_TYPES, TYPES, expanded

PAGE = Path(__file__).resolve().parents[4] / "docs" / "events.md"
AT = datetime(2026, 11, 15, 1, tzinfo=UTC)
SECRET = "a very secret input"
NEW = NewRun("r", "j", 1, "p", Trigger.API, "q", 5, "python", input=SECRET)
CLAIMED = Claimed("r", "j", 1, "p", "api", AT, 1, 0, SECRET, AT, AT, "t")
LEASED = Leased("r", "j", 1, "p", "q", 5, 1, 0, "t", "w", AT, None, "api", AT)
RECORD = RunRecord("r", "j", "job", 1, "p", "api", AT, "q", 5, "running", 1, 0, 3, AT, input=SECRET, result=SECRET)
EVENTS: list[events.Event] = [
    events.RunsQueued([NEW]),
    events.RunsSkipped([Skipped("r", "j", 1, "p", "q", 5, "overlap", 2, AT, AT)]),
    events.RunsClaimed([CLAIMED], "w"),
    events.RunsReleased([LEASED]),
    events.RunsStarted([CLAIMED], "w"),
    events.RunsParked([LEASED]),
    events.AttemptsOver([events.AttemptOver(LEASED, SUCCEEDED, 1)]),
    events.RunsRetried([events.Retried(LEASED, AttemptOutcome.LOST, 1.5)]),
    events.RunsExpired([Overdue("r", "j", 1, "p", "api", AT, "q", "python")]),
    events.CancelsRequested([RECORD], "ann"),
    events.RunsEnded([Ended("r", "j", 1, "p", RunStatus.FAILED, "e" * 5_000, trigger="api")]),
    events.Audited([Deed(action, "ann", "p", "j", "job") for action in (*JOB_ACTIONS, "secret.create")]),
]
# What a sink learns otherwise: starts from claims, outcomes and expiry from what follows for the run.
NOT_SENT = {events.RunsStarted, events.AttemptsOver, events.RunsExpired}


def written(event: events.Event) -> list[EventDraft]:
    return list(drafts(event))


def test_every_domain_event_is_sent_or_left_out_on_purpose():
    assert {type(event) for event in EVENTS} == set(typing.get_args(events.Event))
    assert {type(event) for event in EVENTS if not written(event)} == NOT_SENT


def test_every_type_comes_from_some_event_and_no_other():
    found = [draft.type for event in EVENTS for draft in written(event)]
    assert sorted(found) == sorted(TYPES)


def test_every_action_on_a_job_is_one():
    assert set(JOB_ACTIONS) == set(log_events.JOBS)


def test_data_contain_neither_input_nor_results_and_are_bounded():
    for draft in (draft for event in EVENTS for draft in written(event)):
        assert SECRET not in str(draft.data)
        assert len(str(draft.data)) < 2_000
        assert (draft.project_id, draft.job_id) == ("p", "j")


def test_the_page_lists_every_type_and_every_field():
    text = PAGE.read_text().partition("## Types\n")[2]
    listed = re.findall(r"^\| `([a-z_]+\.[a-z_]+)` \|", text, re.MULTILINE)
    assert listed == [*RUN_TYPES, *JOB_ACTIONS.values(), *OF_SINKS]
    fields = {name for event in EVENTS for draft in written(event) for name in draft.data}
    assert fields <= set(re.findall(r"`(\w+)`", text))


def test_groups_are_expanded_and_unknown_types_left_out():
    assert expanded(["run.*", "run.dreamt"]) == frozenset(RUN_TYPES)
    assert expanded(["job.deleted"]) == {"job.deleted"}
