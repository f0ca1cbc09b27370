"""The API's answers, for type checkers. Generated from its models by `make types`: do not edit."""

from __future__ import annotations

from typing import Any

from horae.sdk.record import Record

Json = dict[str, Any]


class Attempt(Record):
    """One try of a run by one worker. `outcome` is None while it goes on. Of what a retried attempt left as its result
    the first 4,096 characters are kept."""

    __slots__ = ()

    n: int
    worker_id: str | None
    started_at: str | None
    finished_at: str | None
    duration_ms: int | None
    outcome: str | None
    error: str | None
    exit_code: int | None
    response_code: int | None
    result: Any
    traceback: str | None


class AuditEntry(Record):
    """One thing that somebody did; `project_id` is None for what concerns the installation."""

    __slots__ = ()

    id: str
    at: str
    actor: str
    action: str
    subject: Json
    changes: list[Json]
    address: str | None
    request_id: str | None
    project_id: str | None


class BackfillPlan(Record):
    """What a backfill would do."""

    __slots__ = ()

    total: int
    first: str | None
    last: str | None
    existing: str | None


class Worker(Record):
    """`queues` and `projects` are empty of a worker that serves all. Of those of other projects only admins see the
    names; to others, `other_queues` and `other_projects` tell how many there are."""

    __slots__ = ()

    id: str
    name: str
    hostname: str
    platform: str
    pid: int
    version: str
    queues: list[str]
    other_queues: int
    projects: list[str]
    other_projects: int
    offers: list[str]
    slots: int
    busy: int
    status: str
    runs_done: int
    started_at: str
    heartbeat_at: str
    drain_requested_by: str | None
    trouble: Json | None
    isolation: Json | None


class BusyWorker(Worker):
    """A worker, and what of this project it is at."""

    __slots__ = ()

    current_runs: list[str]


class Member(Record):
    __slots__ = ()

    user_id: str
    username: str
    is_active: bool
    role: str
    created_by: str
    created_at: str


class Left(Record):
    """What somebody left: the `keys` that they made, which go on working unless they are `revoked`, and how many of
    their open invitations were withdrawn. `keys` is read as an item: `record["keys"]`."""

    __slots__ = ()

    invitations_withdrawn: int


class ChangedMember(Member, Left):
    """With what they left, if they are no owner."""

    __slots__ = ()


class User(Record):
    __slots__ = ()

    id: str
    username: str
    is_admin: bool
    is_active: bool
    created_by: str
    created_at: str
    updated_at: str
    password_changed_at: str
    last_login_at: str | None
    has_password: bool
    second_factor: bool


class ChangedUser(User, Left):
    """With what they left, if they were deactivated or are no longer admin."""

    __slots__ = ()


class DeadGroup(Record):
    """Failures of one cause: of one job, with the same exit or response code, and with errors that differ only in
    numbers and ids. `error` is that of the newest. What an older version recorded may be of several jobs: `jobs` are
    the ten with most of them."""

    __slots__ = ()

    fingerprint: str
    count: int
    first_at: str
    last_at: str
    last_run_id: str
    error: str | None
    exit_code: int | None
    response_code: int | None
    jobs: list[Json]


class DeadLetter(Record):
    """A failed run; `id` is the run's."""

    __slots__ = ()

    id: str
    job_id: str
    job_name: str
    version: int
    fingerprint: str
    error: str | None
    failed_at: str
    trigger: str
    attempt: int
    uncounted: int  # how many attempts do not count towards max_attempts
    max_attempts: int
    exit_code: int | None
    response_code: int | None
    input: Any
    truncated: list[str]  # `input` if it is left out because it is longer than 4 KiB; the run has it
    scheduled_for: str | None
    triggered_by: str | None
    created_at: str


class Health(Record):
    __slots__ = ()

    status: str
    service: str


class DetailedHealth(Health):
    """`reasons` say why the status is not `healthy`."""

    __slots__ = ()

    database: str
    scheduler_service: str
    workers: int | None
    unreadable_jobs: int | None
    broker: str
    reasons: list[str]


class Device(Record):
    """What waits to be approved; `same_address` tells whether it asked from the address that you come from."""

    __slots__ = ()

    user_code: str
    client: str
    address: str
    same_address: bool
    created_at: str
    expires_at: str


class DevicePoll(Record):
    """`tokens` are there once somebody has approved the sign-in. After `slow_down`, wait five seconds longer than
    before between polls."""

    __slots__ = ()

    status: str
    tokens: Json | None


class Tokens(Record):
    """`refresh_token` is None where it was set as a cookie."""

    __slots__ = ()

    access_token: str
    refresh_token: str | None
    token_type: str
    expires_in: int


class RecoveryCodes(Record):
    """Each is good once. They are shown only now."""

    __slots__ = ()

    recovery_codes: list[str]


class EnrolledTokens(Tokens, RecoveryCodes):
    """A session, and the recovery codes, which are shown only now."""

    __slots__ = ()


class Enrolment(Record):
    """What an authenticator app needs, shown only now: the `secret` to type in, or `uri` as a QR code, whose dark
    modules are the ones in the rows of `qr`."""

    __slots__ = ()

    secret: str
    uri: str
    qr: list[str]


class Explanation(Record):
    """Why a job does or does not run, in one sentence and gate by gate; `cause` is the gate that the sentence names
    first, `level` that of the whole."""

    __slots__ = ()

    at: str
    summary: str
    level: str
    cause: str | None
    gates: list[Json]


class FunctionInfo(Record):
    """A function that workers have registered. `parameters` is the JSON Schema of its arguments."""

    __slots__ = ()

    name: str
    display_name: str
    description: str
    handler: str
    kind: str
    queue: str | None
    default_timeout: float | None
    parameters: Json
    is_active: bool
    is_system: bool
    first_seen_at: str
    last_seen_at: str


class Invitation(Record):
    __slots__ = ()

    id: str
    project_id: str
    role: str
    note: str | None
    created_by: str
    created_at: str
    expires_at: str
    accepted_by: str | None
    accepted_at: str | None


class Job(Record):
    """A job as it stands."""

    __slots__ = ()

    name: str
    description: str
    tags: list[str]
    target: Json | None
    schedule: Json | None
    retry: Json
    timeout: float
    overlap: str
    max_instances: int | None
    catch_up: str
    catch_up_window: int
    queue: str
    priority: int
    start_within: float | None
    grace: float | None
    keep: bool
    id: str
    unreadable: str | None  # why its definition cannot be read; None as a rule
    enabled: bool
    notify: list[Json]
    version: int
    status: str
    next_run_at: str | None
    last_run_at: str | None
    last_status: str | None
    paused: bool
    paused_until: str | None
    created_by: str
    created_at: str
    updated_by: str
    updated_at: str


class JobStats(Record):
    """How a job did, of all time and in the last 24 hours (from the full hour on). `success_rate` is in percent of what
    succeeded or failed."""

    __slots__ = ()

    job_id: str
    queued: int
    running: int
    succeeded: int
    failed: int
    cancelled: int
    skipped: int
    retries: int
    timed_out: int
    success_rate: float | None
    avg_duration_ms: int | None
    last_run_id: str | None
    last_run_at: str | None
    last_status: str | None
    recent: Json


class Key(Record):
    """`maker` is the user who answers for it: of a key that was made with a key, the maker of that one. None where
    nobody knows: it was made straight on the database, or by somebody who was deleted (`maker_id` stays)."""

    __slots__ = ()

    id: str
    name: str
    role: str
    prefix: str
    created_by: str
    created_at: str
    expires_at: str | None
    last_used_at: str | None
    maker_id: str | None
    maker: str | None
    project_id: str
    project: str


class ListedJob(Job):
    """A job in a list; the last two fields are there if `include` asks for them."""

    __slots__ = ()

    stranded: bool  # whether runs of it wait for what no live worker offers
    words: str | None  # the schedule as a sentence
    recent: list[Json] | None  # how its newest runs ended, newest first


class Me(Record):
    """Who is asking: a user, or a key, the projects that they are a member of, and what they may do in all others."""

    __slots__ = ()

    kind: str
    actor: str
    is_admin: bool
    user: Json | None
    projects: list[Json]
    permissions: list[str]


class NewDevice(Record):
    """The device keeps `device_code`, shows `user_code`, and polls every `interval` seconds. `verification_url` is None
    where the server does not know its own address: then it is `verification_path` of the address that was called."""

    __slots__ = ()

    device_code: str
    user_code: str
    verification_path: str
    verification_url: str | None
    expires_in: int
    interval: int


class NewInvitation(Invitation):
    """With the token, which is shown only now."""

    __slots__ = ()

    token: str


class NewKey(Key):
    """With the key itself, which is shown only now."""

    __slots__ = ()

    token: str


class NextOccurrences(Record):
    """`note` says why nothing of this may happen: the job is paused or disabled."""

    __slots__ = ()

    occurrences: list[Json]
    words: str
    note: str | None


class Operation(Record):
    """Long work with progress; `state` is running, done, cancelled or failed."""

    __slots__ = ()

    id: str
    kind: str
    state: str
    job_id: str | None
    done: int
    total: int
    start: str | None
    end: str | None
    parallelism: int | None
    version: int | None
    rate: float | None
    reason: str | None
    error: str | None
    created_by: str
    created_at: str
    finished_at: str | None


class Piece(Record):
    __slots__ = ()

    attempt: int
    seq: int
    at: str
    stream: str
    text: str


class Preview(Record):
    __slots__ = ()

    occurrences: list[Json]
    words: str
    compare: Json | None


class Project(Record):
    __slots__ = ()

    id: str
    slug: str
    name: str
    created_at: str


class QueueState(Record):
    __slots__ = ()

    name: str
    paused: bool
    paused_at: str | None
    paused_by: str | None


class Queue(QueueState):
    """`queued` and `running` are this project's; `workers` are those alive that serve it. `stranded` of the queued ones
    wait for what none of those offers. `projects` are those that it is `reserved` for; only admins see those of
    others."""

    __slots__ = ()

    queued: int
    running: int
    workers: int
    served: bool
    stranded: int
    reserved: bool
    projects: list[str]


class Quota(Record):
    """Without `limit` there is none. `used` is None where nobody counts it: log bytes without a limit. `refused_at` is
    when something was last refused because of this quota, to the minute."""

    __slots__ = ()

    limit: int | None
    used: float | None
    refused_at: str | None


class Quotas(Record):
    """Live runs are all that have not ended. Fires are those of schedules, of each job as many as its busiest hour has;
    log bytes are those of today in UTC. API keys that have expired do not count."""

    __slots__ = ()

    jobs: Quota
    live_runs: Quota
    fires_per_minute: Quota
    log_bytes_per_day: Quota
    secrets: Quota
    api_keys: Quota


class Reservation(Record):
    __slots__ = ()

    name: str
    projects: list[str]


class Run(Record):
    """A run, live or ended."""

    __slots__ = ()

    id: str
    job_id: str
    job_name: str
    version: int
    project_id: str
    trigger: str
    scheduled_for: str | None
    due_at: str | None
    queue: str
    priority: int
    status: str
    outcome: str | None  # of the attempt that ended it; None if none did
    attempt: int  # the number of the latest attempt, whether it counts or not
    uncounted: int  # how many attempts do not count towards max_attempts
    max_attempts: int
    parked: bool
    worker_id: str | None
    started_at: str | None
    finished_at: str | None
    duration_ms: int | None  # how long the attempt that ended it took, as its worker measured it
    response_code: int | None
    exit_code: int | None
    result: Any
    error: str | None
    reason: str | None
    occurrences: int
    scheduled_until: str | None
    input: Any
    truncated: list[str]  # in lists: which of these are left out because they are longer than 4 KiB
    progress: Any
    parent_run_id: str | None
    rerun_of: str | None
    triggered_by: str | None
    scheduler_id: str | None  # the scheduler that fired it; None if none did
    created_at: str


class RunDetail(Run):
    """A run, and what only its own page tells: `dead_since` is None unless it is a dead letter now."""

    __slots__ = ()

    lease_until: str | None  # while it runs: until when its worker holds it unless it renews
    worker_heartbeat_at: str | None  # while it runs: when its worker was last heard from
    traceback: str | None
    cancel_requested_at: str | None
    dead_since: str | None


class RunExplanation(Explanation):
    """The same of a run, and what happened to it in order."""

    __slots__ = ()

    timeline: list[Json]


class Scheduler(Record):
    __slots__ = ()

    id: str
    hostname: str
    platform: str
    pid: int
    version: str
    status: str
    shards: list[int]
    leases: list[Json]
    started_at: str
    heartbeat_at: str
    trouble: Json | None


class SecondFactorState(Record):
    """`required`: this installation asks everybody, or every admin, for a second factor."""

    __slots__ = ()

    enabled: bool
    enabled_at: str | None
    recovery_codes_left: int
    required: bool


class Secret(Record):
    """A secret as people see it; its value is never shown."""

    __slots__ = ()

    name: str
    created_by: str
    created_at: str
    updated_by: str
    updated_at: str


class Start(Record):
    """How one gets in: whether the first admin is still to come, whether anybody may sign up, whether passwords are
    taken, and what single sign-on is called, if there is one."""

    __slots__ = ()

    first_admin: bool
    open_signup: bool
    password: bool
    sso: str | None


class Version(Record):
    """A version of a job, and what it changed in the one before it."""

    __slots__ = ()

    version: int
    created_by: str
    created_at: str
    note: str | None
    definition: Json
    changes: list[Json]
