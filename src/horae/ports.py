"""The seams of Horae: what the rules and verbs need from the outside world, and nothing more.

Adapters implement these protocols (`store`, `executors`, `wakeups`), `wiring` chooses among them, and everything
else depends on the protocols alone. A simulation replaces clock, ids, chance and store, and replays them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, runtime_checkable

from horae.domain.account import (
    Account,
    Credentials,
    Invitation,
    KeyInfo,
    Member,
    NewInvitation,
    NewSession,
    NewUser,
    Place,
    ProjectInfo,
    Session,
    User,
)
from horae.domain.attempt import Attempt
from horae.domain.audit import AuditFilter, AuditRecord, Origin
from horae.domain.changes import Glance
from horae.domain.dead_letter import DeadFilter, DeadGroup, DeadLetter
from horae.domain.difference import Change
from horae.domain.facts import EndedRun, JobStanding, LiveRuns, SchedulerFact, Upstream
from horae.domain.filters import JobFilter
from horae.domain.firing import DueJob
from horae.domain.function import FunctionChange, FunctionRecord, FunctionSign
from horae.domain.idempotency import Answer, Kept, Once
from horae.domain.job import JobSpec
from horae.domain.lockout import Tries
from horae.domain.outcome import Outcome
from horae.domain.queue import QueueRecord
from horae.domain.records import (
    Advance,
    ApiKey,
    Beat,
    Dead,
    Follower,
    Host,
    JobChange,
    JobHead,
    JobRecord,
    JobState,
    KeyRecord,
    NewJob,
    NewOperation,
    Operation,
    Page,
    Project,
    RunFilter,
    SchedulerRecord,
    SchedulerSign,
    ShardView,
    Tally,
    VersionRecord,
    WorkerRecord,
    WorkerSign,
)
from horae.domain.run import (
    Claimed,
    Ending,
    Leased,
    LogLines,
    LogPosition,
    NewRun,
    Overdue,
    Park,
    Progress,
    Requeue,
    RunRecord,
    Skipped,
    Tried,
)
from horae.domain.secret import Sealed, SecretRecord
from horae.domain.statistics import JobStats, Summary

P = ParamSpec("P")
T = TypeVar("T")


class Clock(Protocol):
    """Local time. What is compared across machines uses the database's clock instead (`Transaction.now`)."""

    def now(self) -> datetime: ...

    def monotonic(self) -> float:
        """Seconds that never go back and go on counting while the machine is suspended."""
        ...


class Ids(Protocol):
    """The source of ids (UUIDv7, as text) and of chance."""

    def new(self) -> str: ...

    def chance(self) -> float:
        """A number in [0, 1)."""
        ...


Hint = str
"""What a wake-up is about: `runs:QUEUE`, `jobs`, `shards`, `cancel:WORKER_ID`. It may be lost; polling is the truth."""


class Wakeups(Protocol):
    """Carries hints between processes."""

    @property
    def reliable(self) -> bool:
        """Whether hints normally arrive, so that idle processes may poll rarely."""
        ...

    async def start(self, topics: Collection[str], on_hint: Callable[[Hint], None]) -> None:
        """Calls `on_hint` for each hint whose topic (the part before the colon) is among `topics`."""
        ...

    async def send(self, hints: Collection[Hint]) -> None:
        """Never raises: a hint that cannot be sent is dropped, and said so in the log once."""
        ...

    async def close(self) -> None: ...


class Executor(Protocol):
    """Performs attempts of one target kind. It never touches the store. A worker that wants an attempt to end
    sets `attempt.stop` and cancels the task; `execute` then ends whatever it started and re-raises."""

    def offers(self) -> Iterable[str]:
        """The capabilities this adds to a worker, as in `Target.needs`."""
        ...

    async def execute(self, attempt: Attempt) -> Outcome: ...

    async def close(self) -> None: ...


@runtime_checkable
class Starting(Protocol):
    """An executor that has something to do when its worker starts, on the worker's loop."""

    async def start(self) -> None: ...


class Jobs(Protocol):
    """Definitions and their schedules' state."""

    async def insert(self, job: NewJob) -> None: ...
    async def change(self, change: JobChange) -> bool:
        """Compare-and-set on the version; False if someone else was first."""
        ...

    async def set_state(self, state: JobState) -> None: ...
    async def wake_paused(self, shards: Collection[int]) -> int:
        """Ends the pauses that were to end by now; how many."""
        ...

    async def versions(
        self, job_id: str, *, limit: int | None = None, before: int | None = None
    ) -> list[VersionRecord]:
        """Newest first; with `before`, only older ones than that."""
        ...

    async def delete(self, job_id: str) -> None: ...
    async def find(self, project_id: str, ref: str, *, lock: bool = False) -> JobRecord | None:
        """By id or by name; `lock` to change it."""
        ...

    async def names_like(self, project_id: str, text: str) -> list[str]:
        """Some names that begin as the text does: one of them may have been meant."""
        ...

    async def page(
        self, project_id: str, where: JobFilter, *, limit: int, after: str | None, sort: str = "name"
    ) -> Page[JobRecord]:
        """Sorted by `name`, `created_at`, `updated_at` or `next_run_at`; with `-` before it, the other way round."""
        ...

    async def head(self, project_id: str, ref: str) -> JobHead | None:
        """By id or by name: as much of a job as a trigger needs. Nobody deletes it until the transaction ends."""
        ...

    async def due(self, shards: Collection[int], limit: int) -> list[DueJob]:
        """Locks and returns jobs whose `next_run_at` has come, passing over rows that others hold."""
        ...

    async def next_due(self, shards: Collection[int]) -> datetime | None:
        """When the next job is due, or a pause is to end."""
        ...

    async def advance(self, advances: Sequence[Advance]) -> None: ...
    async def queues(self) -> list[str]:
        """Every queue that some job names."""
        ...

    async def definitions(self, pairs: Collection[tuple[str, int]]) -> dict[tuple[str, int], JobSpec]: ...


class Gates(Protocol):
    """How many runs of a job may be under way, and whose turn is next."""

    async def lock(self, job_ids: Collection[str]) -> dict[str, tuple[int, int, int]]:
        """Locks the gates of these jobs in id order; for each that has one: (limit, under way, held)."""
        ...

    async def open(self, job_ids: Collection[str]) -> set[str]:
        """Lets held runs take free places, oldest first; the queues that got one."""
        ...

    async def release(self, job_id: str) -> set[str]:
        """Lets all held runs of a job that has no limit any more start; the queues that got one."""
        ...


class Runs(Protocol):
    """Live runs, and their move to history."""

    async def insert(self, runs: Sequence[NewRun]) -> None: ...
    async def add(self, runs: Sequence[NewRun]) -> list[RunRecord]:
        """Inserts runs, all of one project, and shows them."""
        ...

    async def skip(self, skipped: Sequence[Skipped]) -> None: ...
    async def claim(
        self,
        *,
        worker_id: str,
        token: str,
        queues: Sequence[str],
        offers: Collection[str],
        limit: int,
        lease: float,
    ) -> list[Claimed]: ...
    async def next_due(self, queues: Sequence[str], offers: Collection[str]) -> datetime | None: ...
    async def claimed(self, worker_id: str, token: str) -> list[Claimed]:
        """What this worker took with this token."""
        ...

    async def renew(self, worker_id: str, run_ids: Collection[str], lease: float) -> list[tuple[str, str, bool]]:
        """Renews a worker's leases on these runs: (run id, token, cancel requested) for each it still holds."""
        ...

    async def cancelling(self, worker_id: str) -> list[tuple[str, str]]:
        """(run id, token) of this worker's runs that somebody asked to cancel."""
        ...

    async def leased(self, pairs: Sequence[tuple[str, str]]) -> list[Leased]:
        """Locks the running runs among these (id, token) pairs whose token still fits."""
        ...

    async def expired(self, limit: int, dead_workers: Collection[str] = ()) -> list[Leased]:
        """Locks running runs whose lease ran out or whose worker is surely dead."""
        ...

    async def park(self, parks: Sequence[Park]) -> None:
        """Takes runs from their workers until their callbacks come; a token that no longer fits parks nothing."""
        ...

    async def parked(self, run_ids: Collection[str]) -> list[Leased]:
        """Those of these runs that wait for a callback; the caller holds their locks."""
        ...

    async def answering(self, run_id: str, attempt: int) -> Leased | None:
        """Locks a run that is at this attempt, parked or on its way there; None if that attempt is over."""
        ...

    async def overdue(self, limit: int) -> list[Overdue]:
        """Locks queued runs that were to have started by now (`start_within`)."""
        ...

    async def chores(self) -> set[str]:
        """What a sweep would find, asked in one statement: any of `running`, `lost`, `overdue`, `tallies`,
        `operations`."""
        ...

    async def live(self, project_id: str, run_ids: Collection[str], *, lock: bool = False) -> list[RunRecord]: ...
    async def live_of(self, job_ids: Collection[str]) -> list[tuple[str, str]]:
        """(run id, project id) of every live run of these jobs."""
        ...

    async def end(self, endings: Sequence[Ending]) -> set[str]:
        """Moves runs to history; the ids that were moved. A token that no longer fits moves nothing."""
        ...

    async def requeue(self, requeues: Sequence[Requeue]) -> None: ...
    async def request_cancel(self, run_ids: Collection[str], actor: str) -> None: ...
    async def tried(self, attempts: Sequence[Tried]) -> None: ...
    async def bury(self, dead: Sequence[Dead]) -> None: ...
    async def find(self, project_id: str, run_id: str) -> RunRecord | None:
        """Live or ended: read live first, so that a run on its way to history is never missed."""
        ...

    async def page(
        self, project_id: str, where: RunFilter, *, limit: int, after: str | None, oldest_first: bool = False
    ) -> Page[RunRecord]: ...
    async def attempts(self, run_id: str) -> list[dict[str, Any]]: ...


class Logs(Protocol):
    """Captured output."""

    async def append(self, lines: Sequence[LogLines]) -> None:
        """Only for attempts whose token still fits."""
        ...

    async def progress(self, told: Sequence[Progress]) -> None:
        """Only for attempts whose token still fits."""
        ...

    async def read(self, run_id: str, *, after: LogPosition = ..., limit: int = 1000) -> list[dict[str, Any]]:
        """Pieces in order of attempt and place."""
        ...


class Processes(Protocol):
    """Who is alive: workers, schedulers, and the shards they lease."""

    async def register_worker(self, sign: WorkerSign) -> None: ...
    async def beat_worker(self, worker_id: str, beat: Beat) -> None: ...
    async def workers(self, offline_after: float) -> list[WorkerRecord]: ...
    async def request_drain(self, worker_id: str, actor: str) -> None: ...
    async def is_to_drain(self, worker_id: str) -> bool: ...
    async def neighbours(self, host_key: str) -> list[tuple[str, Host]]:
        """Workers that see the same process table and have not said goodbye."""
        ...

    async def mark_offline(self, worker_ids: Collection[str]) -> None: ...
    async def register_scheduler(self, sign: SchedulerSign) -> None: ...
    async def beat_scheduler(self, scheduler_id: str) -> bool:
        """False if it is not registered (any more)."""
        ...

    async def forget_scheduler(self, scheduler_id: str) -> None: ...
    async def schedulers(self) -> list[SchedulerRecord]: ...
    async def renew_shards(self, scheduler_id: str, lease: float) -> list[int]: ...
    async def take_shards(self, scheduler_id: str, lease: float, limit: int) -> list[int]: ...
    async def release_shards(self, scheduler_id: str, keep: int = 0) -> None: ...
    async def shards(self) -> list[ShardView]: ...
    async def live_schedulers(self, within: float) -> int: ...


class Stats(Protocol):
    """Counters, kept without ever scanning history."""

    async def add(self, tallies: Sequence[Tally]) -> None: ...
    async def roll_up(self, limit: int) -> int: ...
    async def totals(self, project_id: str) -> dict[str, int]: ...
    async def of_job(self, job_id: str) -> JobStats: ...
    async def summary(self, project_id: str | None) -> Summary:
        """Of a project, or of all."""
        ...

    async def overall(self) -> dict[str, dict[str, int]]:
        """Of all projects: `ended` by status, `skipped` occurrences by reason, `live` runs by status."""
        ...


class Facts(Protocol):
    """What explanations are made from. It only reads, and of history only the newest end."""

    async def job(self, project_id: str, ref: str) -> JobStanding | None:
        """By id or by name, with who owns its shard."""
        ...

    async def live(
        self, job_id: str, *, backfill: bool = False, before: str | None = None, limit: int = 10
    ) -> LiveRuns:
        """The live runs of a job that share its places (or those of its backfills, which have their own)."""
        ...

    async def recent(self, job_id: str, limit: int) -> list[EndedRun]:
        """The newest rows of a job's history, newest first."""
        ...

    async def upstream(self, project_id: str, job_id: str) -> list[Upstream]:
        """The jobs that this one waits for."""
        ...

    async def schedulers(self) -> list[SchedulerFact]: ...
    async def ahead(self, run: RunRecord) -> int:
        """How many due runs come before this one in its queue, counted up to a thousand."""
        ...

    async def dead_since(self, run_id: str) -> datetime | None:
        """Since when a run is a dead letter; None if it is none (any more)."""
        ...


class Access(Protocol):
    """Projects and API keys."""

    async def default_project(self) -> Project: ...
    async def project(self, ref: str, *, lock: bool = False) -> ProjectInfo | None:
        """By id or by slug."""
        ...

    async def projects(self, user_id: str | None, *, limit: int, after: str | None) -> Page[ProjectInfo]:
        """By slug: those that a user is a member of; with None, all."""
        ...

    async def add_project(self, project: Project) -> None: ...
    async def rename_project(self, project_id: str, name: str) -> None: ...
    async def contents(self, project_id: str) -> dict[str, bool]:
        """Whether there are any `jobs`, live `runs` and `secrets`."""
        ...

    async def delete_project(self, project_id: str) -> None:
        """With its keys, members and invitations."""
        ...

    async def add_key(self, key: ApiKey) -> None: ...
    async def key(self, prefix: str) -> KeyRecord | None:
        """If it has not expired."""
        ...

    async def replace_key(self, key: ApiKey) -> None:
        """Puts `key` in the place of the project's key of the same name."""
        ...

    async def used(self, key_id: str) -> None:
        """Notes that a key was used; at most once a minute."""
        ...

    async def keys(self, project_id: str, *, limit: int, after: str | None) -> Page[KeyInfo]:
        """Newest first."""
        ...

    async def find_key(self, project_id: str, key_id: str) -> KeyInfo | None: ...
    async def delete_key(self, key_id: str) -> None: ...


class Accounts(Protocol):
    """Users, and the projects they are members of. A user is found by id or by name."""

    async def any_user(self) -> bool: ...
    async def add_user(self, user: NewUser) -> None: ...
    async def user(self, ref: str, *, lock: bool = False) -> User | None: ...
    async def credentials(self, ref: str) -> Credentials | None: ...
    async def users(self, *, limit: int, after: str | None) -> Page[User]:
        """By name."""
        ...

    async def active_admins(self) -> list[str]:
        """Locked, so that of two who take each other's rights away only one can."""
        ...

    async def change_user(self, user_id: str, **changes: bool | str) -> None:
        """`is_admin`, `is_active`, `password` (its hash)."""
        ...

    async def rehash(self, user_id: str, old: str, new: str) -> None:
        """The same password by newer parameters, unless it was changed meanwhile."""
        ...

    async def signed_in(self, user_id: str) -> None: ...
    async def delete_user(self, user_id: str) -> None:
        """With their memberships and sessions."""
        ...

    async def account(self, session_id: str) -> Account | None:
        """Who stands behind a session, if it and they are good."""
        ...

    async def places(self, user_id: str) -> tuple[Place, ...]: ...
    async def member(self, project_id: str, user_id: str) -> Member | None:
        """Locked, as it is about to change."""
        ...

    async def set_role(self, project_id: str, user_id: str, role: str, actor: str) -> None: ...
    async def remove_member(self, project_id: str, user_id: str) -> None: ...
    async def owners(self, project_id: str) -> list[str]:
        """Locked, as `active_admins`."""
        ...

    async def members(self, project_id: str, *, limit: int, after: str | None) -> Page[Member]:
        """By name."""
        ...


class Invitations(Protocol):
    """Links by which people join."""

    async def add(self, invitation: NewInvitation) -> None: ...
    async def by_digest(self, digest: str, *, lock: bool = False) -> Invitation | None: ...
    async def find(self, project_id: str, invitation_id: str) -> Invitation | None: ...
    async def page(self, project_id: str, *, limit: int, after: str | None) -> Page[Invitation]:
        """Newest first."""
        ...

    async def accept(self, invitation_id: str, user_id: str) -> None: ...
    async def delete(self, invitation_id: str) -> None: ...
    async def lock_first(self) -> None:
        """Locks all tokens for the first admin: whoever uses one of them is alone."""
        ...

    async def drop_first(self) -> None:
        """Forgets those that nobody used."""
        ...

    async def prune(self, older_than: float) -> int: ...


class Sessions(Protocol):
    """Sign-ins, and which refresh token of each is good."""

    async def add(self, session: NewSession, expires_at: datetime) -> None: ...
    async def find(self, session_id: str, *, lock: bool = False) -> Session | None: ...
    async def exchange(self, session_id: str, *, digest: str, generation: int, expires_at: datetime) -> None: ...
    async def end(self, session_id: str, reason: str) -> bool:
        """Whether it was still open."""
        ...

    async def end_all(self, user_id: str, reason: str, *, but: str | None = None) -> int: ...
    async def prune(self, older_than: float) -> int: ...


class Limits(Protocol):
    """Leaky buckets that all processes share."""

    async def lock(self, buckets: Collection[str]) -> dict[str, Tries]:
        """How full they are, made if they are missing, and locked."""
        ...

    async def set(self, bucket: str, level: float) -> None:
        """As of now."""
        ...

    async def forgive(self, bucket: str, tries: float) -> None: ...
    async def pour(self, amounts: Mapping[str, float], leak: float) -> dict[str, float]:
        """Adds to buckets that have been leaking so much a second; how full each is then."""
        ...

    async def prune(self, older_than: float) -> int: ...


class Upkeep(Protocol):
    """What keeps the database small and ready."""

    async def prune_runs(self, older_than: float, limit: int) -> int: ...
    async def prune_logs(self, older_than: float, limit: int) -> int: ...
    async def prune_processes(self, older_than: float) -> int: ...
    async def prepare_partitions(self) -> None: ...


class Dependencies(Protocol):
    """Which jobs start when another one's run ends."""

    async def lock(self) -> None:
        """Edits of the graph take turns."""
        ...

    async def set(self, downstream_id: str, upstream_id: str | None, on: str | None) -> None: ...
    async def upstream_of(self, job_id: str) -> str | None: ...
    async def names_downstream(self, job_id: str) -> list[str]: ...
    async def followers(self, upstream_ids: Collection[str]) -> list[Follower]: ...


class Operations(Protocol):
    """Long work with progress."""

    async def insert(self, operation: NewOperation) -> None: ...
    async def find(self, project_id: str | None, operation_id: str, *, lock: bool = False) -> Operation | None: ...
    async def page(self, project_id: str, *, limit: int, after: str | None) -> Page[Operation]: ...
    async def progress(self, operation_id: str, *, done: int, details: dict[str, Any]) -> None: ...
    async def finish(self, operation_id: str, state: str, error: str | None = None) -> None: ...
    async def of_ended(self, run_ids: Collection[str]) -> list[str]:
        """The operations that these ended runs belong to, once for each run."""
        ...

    async def live(self, operation_id: str) -> list[str]: ...
    async def running_of(self, job_id: str) -> list[str]:
        """The operations of a job that go on, locked in id order."""
        ...

    async def under_way(self, kinds: Collection[str], limit: int) -> list[str]:
        """Locks operations of these kinds that go on, passing over those that others are at."""
        ...


class Changes(Protocol):
    """Bounded looks at what changed lately."""

    async def live(self, project_id: str, limit: int) -> list[Glance]:
        """The newest live runs."""
        ...

    async def ended(self, project_id: str, since: datetime, limit: int) -> list[Glance]:
        """Those of the newest runs in the history that ended since then."""
        ...

    async def runs(self, project_id: str, run_ids: Collection[str]) -> list[RunRecord]: ...


class Queues(Protocol):
    """The queues that jobs name; of the whole installation, with counts of one project."""

    async def all(self, project_id: str) -> list[QueueRecord]: ...
    async def find(self, project_id: str, name: str, *, lock: bool = False) -> QueueRecord | None: ...
    async def paused(self, name: str) -> QueueRecord | None:
        """The queue, if it is paused; without counts."""
        ...

    async def pause(self, name: str, actor: str) -> None: ...
    async def resume(self, name: str) -> None: ...


class Idempotency(Protocol):
    """Requests that carry a key, and their answers."""

    async def insert(self, once: Once, held: float) -> None:
        """Writes the key down for this holder, unless there is one."""
        ...

    async def find(self, once: Once, kept: float) -> Kept | None: ...
    async def take_over(self, once: Once, held: float) -> bool:
        """Becomes the holder, if there is no answer and nobody is at it any more."""
        ...

    async def answer(self, once: Once, answer: Answer) -> None:
        """Only by the holder."""
        ...

    async def let_go(self, once: Once) -> None: ...
    async def delete(self, once: Once, *, older_than: float | None = None) -> None:
        """The holder's own; or anybody's that is older."""
        ...

    async def prune(self, older_than: float, limit: int) -> int: ...


class DeadLetters(Protocol):
    """Failed runs that nobody has redriven or discarded yet."""

    async def page(self, project_id: str, where: DeadFilter, *, limit: int, after: str | None) -> Page[dict[str, Any]]:
        """With what people want to know of the run, newest first."""
        ...

    async def groups(self, project_id: str, where: DeadFilter, *, limit: int, after: str | None) -> Page[DeadGroup]:
        """By fingerprint, in its order."""
        ...

    async def count(self, project_id: str, where: DeadFilter, *, of_jobs: bool) -> int:
        """`of_jobs`: only of jobs that are still there."""
        ...

    async def newest(self, project_id: str) -> str | None: ...
    async def latest_failed(self, job_id: str) -> str | None:
        """The newest failed run of a job: a dead letter, or one among its newest runs that was resolved."""
        ...

    async def take(
        self, project_id: str, where: DeadFilter, *, of_jobs: bool, after: str, through: str, limit: int
    ) -> list[DeadLetter]:
        """Locks the oldest of them."""
        ...

    async def resolve(self, run_ids: Collection[str]) -> int: ...


class Audit(Protocol):
    """What people did. Verbs add to it in the transaction that changes something; nothing is ever taken away."""

    async def add(
        self,
        action: str,
        *,
        actor: str,
        project_id: str | None,
        id: str | None = None,
        name: str | None = None,
        changes: Sequence[Change] = (),
    ) -> None:
        """`action` is the subject's kind and the verb, as in `job.edit`; `id` and `name` are the subject's. Without a
        project it is about the installation. Never put a secret's value among the changes."""
        ...

    async def page(
        self, projects: Collection[str | None], where: AuditFilter, *, limit: int, after: str | None
    ) -> Page[AuditRecord]:
        """Newest first; None among the projects is the installation."""
        ...


class Seals(Protocol):
    """Encrypts the values of secrets for the store, and opens them."""

    @property
    def key_id(self) -> str:
        """The name of the key that seals now."""
        ...

    def seal(self, project_id: str, name: str, value: str) -> Sealed: ...
    def open(self, sealed: Sealed) -> str:
        """Raises CannotOpen."""
        ...


class Secrets(Protocol):
    """Sealed values by project and name."""

    async def save(self, sealed: Sealed, actor: str) -> None: ...
    async def delete(self, project_id: str, name: str) -> None: ...
    async def find(self, project_id: str, name: str, *, lock: bool = False) -> SecretRecord | None: ...
    async def page(self, project_id: str, *, limit: int, after: str | None) -> Page[SecretRecord]: ...
    async def known(self, project_id: str, names: Collection[str]) -> set[str]:
        """Those of these names that there are; nobody deletes them until the transaction ends."""
        ...

    async def sealed(self, wanted: Collection[tuple[str, str]]) -> list[Sealed]:
        """By project and name; what is not there is left out."""
        ...

    async def named_by(self, project_id: str, name: str, limit: int) -> list[str]:
        """The jobs whose current definitions name a secret."""
        ...

    async def not_of(self, key_id: str, *, limit: int, after: tuple[str, str] | None) -> list[tuple[Sealed, str]]:
        """What other keys than this have sealed, each with its project's slug, in the order of project and name."""
        ...

    async def reseal(self, old: Sealed, new: Sealed) -> bool:
        """Puts `new` in the place of `old`; False if somebody has set it meanwhile."""
        ...


class Functions(Protocol):
    """The functions that workers have registered, of the whole installation."""

    async def register(self, signs: Sequence[FunctionSign]) -> None:
        """One statement; what people decided is left alone."""
        ...

    async def find(self, name: str, *, lock: bool = False) -> FunctionRecord | None: ...
    async def names(self, limit: int) -> list[str]: ...
    async def page(self, *, limit: int, after: str | None) -> Page[FunctionRecord]:
        """In the order of their names."""
        ...

    async def change(self, name: str, change: FunctionChange) -> None: ...
    async def delete(self, name: str) -> None: ...


class Transaction(Protocol):
    """One short transaction: what is done through it happens wholly or not at all."""

    @property
    def jobs(self) -> Jobs: ...
    @property
    def gates(self) -> Gates: ...
    @property
    def runs(self) -> Runs: ...
    @property
    def logs(self) -> Logs: ...
    @property
    def processes(self) -> Processes: ...
    @property
    def stats(self) -> Stats: ...
    @property
    def facts(self) -> Facts: ...
    @property
    def access(self) -> Access: ...
    @property
    def accounts(self) -> Accounts: ...
    @property
    def invitations(self) -> Invitations: ...
    @property
    def sessions(self) -> Sessions: ...
    @property
    def limits(self) -> Limits: ...
    @property
    def upkeep(self) -> Upkeep: ...
    @property
    def dependencies(self) -> Dependencies: ...
    @property
    def operations(self) -> Operations: ...
    @property
    def secrets(self) -> Secrets: ...
    @property
    def functions(self) -> Functions: ...
    @property
    def audit(self) -> Audit: ...
    @property
    def dead_letters(self) -> DeadLetters: ...
    @property
    def idempotency(self) -> Idempotency: ...
    @property
    def queues(self) -> Queues: ...
    @property
    def changes(self) -> Changes: ...

    @property
    def repeated(self) -> bool:
        """Whether an earlier try of this verb may have taken effect without anyone hearing of it."""
        ...

    def new_id(self) -> str: ...

    async def now(self) -> datetime:
        """The database's clock."""
        ...

    def hint(self, hint: Hint) -> None:
        """Sent once the transaction has committed."""
        ...


Verb = Callable[Concatenate[Transaction, P], Awaitable[T]]


class Store(Protocol):
    """The truth. Verbs run inside it, each in one transaction."""

    async def transact(self, verb: Verb[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Runs a verb in a transaction of its own and commits. After a deadlock or a lost connection the verb is
        run again, so verbs are idempotent by key or token. Raises StoreUnavailable when the database is away."""
        ...

    async def single(self, verb: Verb[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The same for a verb whose change is one statement wherever the database can do it so: there it needs no
        transaction around it, and two round trips less."""
        ...

    async def read(self, verb: Verb[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The same for a verb that only reads: it takes no write lock and waits for nobody."""
        ...

    def on_behalf_of(self, origin: Origin) -> Store:
        """The same store; the audit trail tells where what is done through it was asked for."""
        ...

    async def close(self) -> None: ...
