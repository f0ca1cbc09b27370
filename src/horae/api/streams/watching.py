"""Fan-out of changes to `/events`: one task per followed project polls for all of its followers."""

from __future__ import annotations

import asyncio
import contextlib
from collections import OrderedDict, deque
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

import structlog

from horae.api.context import RequestContext
from horae.api.sight import sight_within
from horae.api.streams import events
from horae.api.views import run_json, worker_json
from horae.domain.errors import InvalidInput
from horae.domain.runs.changes import Seen
from horae.lifecycle import changes

log = structlog.get_logger()

POLL = 1.0  # seconds between two polls
LINGER = 60.0  # seconds it continues without followers: a client that lost its connection reconnects
REMEMBERED = 2_000  # events kept for resuming clients
OLDEST = 600.0  # seconds: clients that were away for longer reload the lists
BACKLOG = 1_000  # events that a slow reader may be behind
_REPORTED = 5_000


class Event(NamedTuple):
    """`at` is when it was seen, by the database's clock, in microseconds, so it is valid on every server. `whole` is
    what admins get, where others get less."""

    at: int
    place: int
    kind: str
    data: bytes
    whole: bytes | None = None

    @property
    def id(self) -> str:
        return f"{self.at}-{self.place}"


def position(text: str | None) -> tuple[int, int] | None:
    """A Last-Event-ID."""
    if text is None:
        return None
    at, _, place = text.partition("-")
    if not (at.isascii() and at.isdigit() and place.isascii() and place.isdigit() and len(text) <= 40):
        raise InvalidInput("Last-Event-ID", "must be the id of an event of this stream")
    return int(at), int(place)


class EventFollower:
    def __init__(self) -> None:
        self.queue: asyncio.Queue[Event] = asyncio.Queue(BACKLOG)
        self.dropped = False

    def tell(self, event: Event) -> None:
        try:
            self.queue.put_nowait(event)
        except asyncio.QueueFull:
            self.dropped = True


class ProjectWatch:
    """The events of one project."""

    def __init__(self, context: RequestContext, project_id: str) -> None:
        self._context, self._project_id = context, project_id
        self._seen = changes.NOTHING
        self._since: datetime | None = None
        self._reported: OrderedDict[str, None] = OrderedDict()  # audit entries, found again when looking back
        self._past: deque[Event] = deque(maxlen=REMEMBERED)
        self._began: int | None = None  # nothing older is remembered
        self.followers: set[EventFollower] = set()
        self._looking = asyncio.Lock()

    async def look(self) -> None:
        async with self._looking:
            first = self._since is None
            found = await self._read(self._seen, self._since)
            self._seen, self._since = found.seen, found.at
            self._began = _micros(found.at) if self._began is None else self._began
            events = await self._events(found)
            if not first:  # otherwise it existed before
                self._publish(events)

    @property
    def begun(self) -> bool:
        return self._began is not None

    def _publish(self, events: Sequence[Event]) -> None:
        for event in events:
            self._past.append(event)
            for follower in self.followers:
                follower.tell(event)

    async def missed(self, after: tuple[int, int]) -> list[Event] | None:
        """Events after the given one; None if they are no longer known."""
        async with self._looking:
            complete = self._began is not None and after[0] >= self._began
            if complete and (len(self._past) < REMEMBERED or self._past[0][:2] <= after):
                return [event for event in self._past if event[:2] > after]
            since = datetime.fromtimestamp(after[0] / 1e6, UTC)
            found = await self._read(changes.NOTHING, since)
            if found.too_many or (found.at - since).total_seconds() > OLDEST:
                return None
            return await self._events(found, again=True)

    async def _read(self, seen: Seen, since: datetime | None) -> changes.Look:
        return await self._context.store.read(
            changes.look,
            project_id=self._project_id,
            seen=seen,
            since=since,
            offline_after=self._context.settings.offline_after,
        )

    async def _events(self, found: changes.Look, *, again: bool = False) -> list[Event]:
        entries: list[tuple[str, dict[str, object], dict[str, object] | None]] = []
        entries += [("run", run_json(run), None) for run in found.runs]
        for entry in found.jobs:
            if again or entry.id not in self._reported:
                self._reported[entry.id] = None
                what = {"id": entry.subject_id, "name": entry.subject_name, "action": entry.action.partition(".")[2]}
                entries.append(("job", {**what, "at": entry.at, "by": entry.actor}, None))
        while len(self._reported) > _REPORTED:
            self._reported.popitem(last=False)
        if found.workers:
            sight = await sight_within(self._context, self._project_id)
            entries += [("worker", worker_json(worker, sight), worker_json(worker)) for worker in found.workers]
        if found.too_many:
            entries.append(("reset", {"detail": "too many events at once: reload the lists"}, None))
        at = _micros(found.at)
        return [
            Event(at, place, kind, events.rendered(data), None if whole is None else events.rendered(whole))
            for place, (kind, data, whole) in enumerate(entries)
        ]


class Watches:
    """One for each project that has followers."""

    def __init__(self, context: RequestContext) -> None:
        self._context = context
        self._watches: dict[str, ProjectWatch] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def follow(self, project_id: str) -> tuple[ProjectWatch, EventFollower]:
        watch = self._watches.get(project_id)
        if watch is None:
            watch = self._watches[project_id] = ProjectWatch(self._context, project_id)
            task = asyncio.create_task(self._go_on(project_id, watch))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        if not watch.begun:
            await watch.look()  # everything after the start of the response is sent
        follower = EventFollower()
        watch.followers.add(follower)
        return watch, follower

    async def _go_on(self, project_id: str, watch: ProjectWatch) -> None:
        idle, failing = 0.0, False
        try:
            while idle < LINGER and not self._context.stopping.is_set():
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._context.stopping.wait(), POLL)
                idle = 0.0 if watch.followers else idle + POLL
                try:
                    await watch.look()
                    failing = False
                except Exception as error:
                    if not failing:
                        log.warning("could not check for changes; retrying", reason=str(error))
                    failing = True
        finally:
            if self._watches.get(project_id) is watch:
                del self._watches[project_id]


def _micros(at: datetime) -> int:
    return int(at.timestamp() * 1e6)
