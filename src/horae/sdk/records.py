"""The API's answers, for type checkers. Generated from its models by `make types`: do not edit."""

from __future__ import annotations

from typing import Any

from horae.sdk.record import Record

Json = dict[str, Any]


class Alert(Record):
    """`project` is the slug, None if the alert concerns the whole installation. `last_seen_at` is when the rule was
    last found broken, to the minute. While `silenced_until` lies ahead, no notices are sent about it."""

    __slots__ = ()

    id: str
    project: str | None
    rule: str
    severity: str
    subject: Json
    state: str
    title: str
    why: str
    action: Json
    since: str
    last_seen_at: str
    cleared_at: str | None
    acknowledged_by: str | None
    acknowledged_at: str | None
    silenced_until: str | None
    silenced_by: str | None
    note: str | None


class AlertSettings(Record):
    """The thresholds that a project sets itself: durations in seconds, the failure rate in per cent. None: as the
    installation says; 0: the rule is off."""

    __slots__ = ()

    failing: int | None
    late: float | None
    queued: float | None
    failure_rate: float | None
    dead_letters: int | None


class Attempt(Record):
    """One attempt of a run by one worker. `outcome` is None while it is in progress. The result of a retried attempt is
    cut to 4,096 characters."""

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
    """One recorded action; `project_id` is None if it concerns the whole installation."""

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


class Badge(Record):
    """`url` is None if the token cannot be decrypted."""

    __slots__ = ()

    id: str
    kind: str
    subject_id: str
    label: str | None
    url: str | None
    markdown: str | None  # for a README
    created_by: str
    created_at: str


class Worker(Record):
    """`queues` and `projects` are empty for a worker that serves all. Only admins see the names of other projects and
    their queues; others see how many there are (`other_queues`, `other_projects`)."""

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
    engine: str | None


class BusyWorker(Worker):
    """A worker, and the runs of this project that it is executing."""

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
    """What a user left behind: the API `keys` they created, which keep working unless they are `revoked`, and how many
    of their open invitations were withdrawn. `keys` is read as an item: `record["keys"]`."""

    __slots__ = ()

    invitations_withdrawn: int


class ChangedMember(Member, Left):
    """Includes what they left behind, if they are no longer an owner."""

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
    """Includes what they left behind, if they were deactivated or are no longer admin."""

    __slots__ = ()


class Channel(Record):
    """A channel. `target` lacks its secret fields; `address` shows where it sends. `project_id` is None for a channel
    of the installation; `unreadable` says why this version cannot read it, and is usually None."""

    __slots__ = ()

    id: str
    project_id: str | None
    name: str
    kind: str
    enabled: bool
    address: str
    target: Json | None
    has_secret: bool
    unreadable: str | None
    events: list[str]
    severity: str
    tags: list[str]
    jobs: list[str]
    named_only: bool
    quiet: Json | None
    digest: int
    repeat_after: int
    per_hour: int
    last_delivery: Json | None
    created_by: str
    created_at: str
    updated_by: str
    updated_at: str


class Claim(Record):
    __slots__ = ()

    runs: list[Json]
    jobs: list[Json]
    more: bool
    waited_seconds: float
    lease_seconds: float
    drain: bool


class DeadGroup(Record):
    """Failures with one cause: of the same job, with the same exit or response code, and with errors that differ only
    in numbers and ids. `error` is the newest one. Groups recorded by an older version may span several jobs: `jobs`
    lists the ten with the most failures."""

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
    uncounted: int  # number of attempts that do not count towards max_attempts
    max_attempts: int
    exit_code: int | None
    response_code: int | None
    input: Any
    truncated: list[str]  # `input` if it is omitted because it is longer than 4 KiB; read the run to get it
    scheduled_for: str | None
    triggered_by: str | None
    created_at: str


class Delivery(Record):
    """A message to a channel. `kind` is that of its notice, `digest` for several, or `test`; `notices` is the number of
    notices that it covers; `due_at` is when it is tried next."""

    __slots__ = ()

    id: str
    channel_id: str
    state: str
    kind: str
    severity: str
    title: str
    notices: int
    tries: int
    due_at: str
    last_error: str | None
    created_at: str
    finished_at: str | None


class Health(Record):
    __slots__ = ()

    status: str
    service: str


class DetailedHealth(Health):
    """`reasons` say why the status is not `healthy`; `notices` inform admins about projects that are near a quota,
    which is not a fault."""

    __slots__ = ()

    database: str
    scheduler_service: str
    workers: int | None
    unreadable_jobs: int | None
    broker: str
    reasons: list[str]
    notices: list[str]


class Device(Record):
    """A sign-in waiting for approval; `same_address` says whether it was requested from your own address."""

    __slots__ = ()

    user_code: str
    client: str
    address: str
    same_address: bool
    created_at: str
    expires_at: str


class DevicePoll(Record):
    """`tokens` is set once the sign-in is approved. After `slow_down`, increase the polling interval by five
    seconds."""

    __slots__ = ()

    status: str
    tokens: Json | None


class Tokens(Record):
    """`refresh_token` is None if it was set as a cookie."""

    __slots__ = ()

    access_token: str
    refresh_token: str | None
    token_type: str
    expires_in: int


class RecoveryCodes(Record):
    """Each works once. They are shown only once."""

    __slots__ = ()

    recovery_codes: list[str]


class EnrolledTokens(Tokens, RecoveryCodes):
    """A session, and the recovery codes, which are shown only once."""

    __slots__ = ()


class Enrolment(Record):
    """What an authenticator app needs, shown only once: the `secret` to type in, or `uri` as a QR code, whose dark
    modules are the ones in the rows of `qr`."""

    __slots__ = ()

    secret: str
    uri: str
    qr: list[str]


class Explanation(Record):
    """Why a job does or does not run, in one sentence and gate by gate; `cause` is the gate that the sentence names
    first, `level` the overall severity."""

    __slots__ = ()

    at: str
    summary: str
    level: str
    cause: str | None
    gates: list[Json]


class FunctionInfo(Record):
    """A function that workers or admins have registered. `parameters` is the JSON Schema of its arguments."""

    __slots__ = ()

    name: str
    display_name: str
    description: str
    handler: str
    kind: str
    handler_type: str  # `function`, `async_function`, or `celery_task` of a Celery app
    queue: str | None
    default_timeout: float | None
    parameters: Json
    is_active: bool
    is_system: bool
    first_seen_at: str
    last_seen_at: str
    handler_path: str | None  # if an admin registered it by its path; otherwise None
    import_error: str | None  # why no worker can import its path; None if one can
    imported_at: str | None  # when a worker last imported its path


class Goodbye(Record):
    __slots__ = ()


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
    """A job with its current state."""

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
    notify: list[str]
    alert: Json | None
    id: str
    unreadable: str | None  # why its definition cannot be read; usually None
    enabled: bool
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
    """A job's results, all-time and in the last 24 hours (by full hours). `success_rate` is a percentage of the runs
    that succeeded or failed."""

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
    """`maker` is the user responsible for the key. If the key was created with another key, that is the other key's
    maker. None if unknown: the key was created directly on the database, or by a user who has since been deleted
    (`maker_id` stays)."""

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
    """A job in a list; the last two fields are present only if `include` requests them."""

    __slots__ = ()

    stranded: bool  # whether it has queued runs that no live worker can execute
    words: str | None  # the schedule as a sentence
    recent: list[Json] | None  # how its newest runs ended, newest first


class Me(Record):
    """The caller, a user or an API key: the projects they are a member of, and their permissions in all others."""

    __slots__ = ()

    kind: str
    actor: str
    is_admin: bool
    user: Json | None
    projects: list[Json]
    permissions: list[str]


class MonitoredAlerts(Record):
    """`items` are at most fifty open alerts that are not silenced: unacknowledged ones come first, the worst of them
    first. `items` is read as an item: `record["items"]`."""

    __slots__ = ()

    timestamp: str
    alerts: Json


class NewChannel(Channel):
    """A channel that was just created."""

    __slots__ = ()

    signing_key: str | None  # the generated key of a webhook, shown only once; else None


class NewDevice(Record):
    """The device keeps `device_code`, shows `user_code`, and polls every `interval` seconds. `verification_url` is None
    if the server does not know its own address: then append `verification_path` to the address that you called."""

    __slots__ = ()

    device_code: str
    user_code: str
    verification_path: str
    verification_url: str | None
    expires_in: int
    interval: int


class NewInvitation(Invitation):
    """Includes the token, which is shown only once."""

    __slots__ = ()

    token: str


class NewKey(Key):
    """Includes the key itself, which is shown only once."""

    __slots__ = ()

    token: str


class Sink(Record):
    """A sink. `target` lacks its secret fields; `address` shows where it sends. `project_id` is None for a sink of the
    installation; `unreadable` says why this version cannot read it, and is usually None. `waiting` events have not been
    accepted yet. `failing_since` is None unless the last try failed: `last_error` says why, and the next one is at
    `retry_at`. `dropped` events were too old or too many, or refused again and again."""

    __slots__ = ()

    id: str
    project_id: str | None
    name: str
    kind: str
    enabled: bool
    address: str
    target: Json | None
    unreadable: str | None
    types: list[str]
    jobs: list[str]
    tags: list[str]
    keep_for: int
    max_waiting: int
    waiting: int
    sent: int
    dropped: int
    failing_since: str | None
    retry_at: str | None
    last_sent_at: str | None
    last_error: str | None
    created_by: str
    created_at: str
    updated_by: str
    updated_at: str


class NewSink(Sink):
    """A sink that was just created."""

    __slots__ = ()

    signing_key: str | None  # the generated key of a webhook, shown only once; else None


class WorkerKey(Record):
    __slots__ = ()

    id: str
    name: str
    projects: list[str]
    queues: list[str]
    capabilities: list[str]
    worker_name: str | None
    prefix: str
    created_by: str
    created_at: str
    expires_at: str | None
    previous_until: str | None


class NewWorkerKey(WorkerKey):
    """`key` is shown only once."""

    __slots__ = ()

    key: str


class NextOccurrences(Record):
    """`note` says why these may not happen: the job is paused or disabled."""

    __slots__ = ()

    occurrences: list[Json]
    words: str
    note: str | None


class Operation(Record):
    """A long-running operation with progress; `state` is running, done, cancelled or failed."""

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


class Ping(Record):
    """A ping with its current state. `url` is None for roles that may not write pings."""

    __slots__ = ()

    name: str
    description: str
    tags: list[str]
    schedule: Json | None
    grace: float
    timeout: float | None
    id: str
    unreadable: str | None  # why its definition cannot be read; usually None
    words: str | None  # the schedule in words
    version: int
    state: str
    reason: str | None  # why it is down
    since: str  # when it last went up or down
    paused: bool
    paused_until: str | None
    expected_at: str | None  # when the next signal is expected
    deadline_at: str | None  # when it goes down unless a signal arrives
    started_at: str | None  # when the oldest run under way began
    last_ping_at: str | None
    last_success_at: str | None
    last_failure_at: str | None
    last_duration_ms: int | None
    last_exit_code: int | None
    events: int
    url: str | None
    created_by: str
    created_at: str
    updated_by: str
    updated_at: str


class PingCounts(Record):
    """How many pings are in each state."""

    __slots__ = ()

    new: int
    up: int
    started: int
    late: int
    down: int
    paused: int


class PingEvent(Record):
    """A signal of a ping; `late` and `overrun` are signals that did not come in time."""

    __slots__ = ()

    n: int
    at: str
    kind: str
    exit_code: int | None
    rid: str | None
    duration_ms: int | None
    method: str | None
    address: str | None
    agent: str | None
    body_bytes: int | None


class PingEventDetail(PingEvent):
    """`body` is the end of what was sent; `truncated` if it was longer."""

    __slots__ = ()

    body: str | None
    truncated: bool


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
    """`engine` is what an admin chose, None for the engine of the settings; `carried_by` is the engine that carries its
    runs now."""

    __slots__ = ()

    name: str
    paused: bool
    paused_at: str | None
    paused_by: str | None
    engine: str | None
    carried_by: str


class Queue(QueueState):
    """`queued` and `running` count this project's runs; `workers` counts the live workers that its runs can reach.
    `stranded` counts the queued runs that none of them can execute. `projects` are those that the queue is `reserved`
    for; only admins see other projects. `engines` can be chosen for it."""

    __slots__ = ()

    queued: int
    running: int
    workers: int
    served: bool
    stranded: int
    reserved: bool
    projects: list[str]
    engines: list[str]


class Quota(Record):
    """A None `limit` means no limit. `used` is None if it is not counted: log bytes without a limit. `refused_at` is
    when this quota last caused a rejection, to the minute."""

    __slots__ = ()

    limit: int | None
    used: float | None
    refused_at: str | None


class Quotas(Record):
    """Live runs are all runs that have not ended. Fires are those of schedules, each counted by its busiest hour. Log
    bytes are those of the current day in UTC. Expired API keys do not count."""

    __slots__ = ()

    jobs: Quota
    live_runs: Quota
    fires_per_minute: Quota
    log_bytes_per_day: Quota
    secrets: Quota
    api_keys: Quota


class Registered(Record):
    __slots__ = ()

    worker_id: str
    protocol: int
    name: str
    queues: list[str]
    offers: list[str]
    projects: list[str]
    lease_seconds: float
    heartbeat_seconds: float
    longest_wait_seconds: float
    log_limit: int
    max_body_bytes: int
    grace_seconds: float


class Release(Record):
    __slots__ = ()

    released: int


class Renew(Record):
    __slots__ = ()

    renewed: list[str]
    cancel: list[str]
    lost: list[str]
    drain: bool


class Report(Record):
    __slots__ = ()

    refused: list[str]
    log_full: list[str]


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
    outcome: str | None  # outcome of the attempt that ended it; None if none did
    attempt: int  # the number of the latest attempt, whether it counts or not
    uncounted: int  # number of attempts that do not count towards max_attempts
    max_attempts: int
    parked: bool
    worker_id: str | None
    started_at: str | None
    finished_at: str | None
    duration_ms: int | None  # duration of the attempt that ended it, as measured by its worker
    response_code: int | None
    exit_code: int | None
    result: Any
    error: str | None
    reason: str | None
    occurrences: int
    scheduled_until: str | None
    input: Any
    truncated: list[str]  # in lists: fields omitted because they are longer than 4 KiB
    progress: Any
    parent_run_id: str | None
    rerun_of: str | None
    triggered_by: str | None
    scheduler_id: str | None  # the scheduler that fired it; None if none did
    trace_id: str  # the trace it is part of: that of its caller's `traceparent`, or its own
    created_at: str


class RunDetail(Run):
    """A run in full; `dead_since` is None unless it is currently a dead letter."""

    __slots__ = ()

    lease_until: str | None  # while it runs: when its worker's lease expires unless renewed
    worker_heartbeat_at: str | None  # while it runs: the last heartbeat of its worker
    trace_url: str | None  # its trace in the viewer that `HORAE_TRACE_URL` names
    traceback: str | None
    cancel_requested_at: str | None
    dead_since: str | None


class RunExplanation(Explanation):
    """Why a run does or does not start, and its timeline."""

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
    """`required`: this installation requires a second factor from everyone, or from every admin."""

    __slots__ = ()

    enabled: bool
    enabled_at: str | None
    recovery_codes_left: int
    required: bool


class Secret(Record):
    """A secret; its value is never shown."""

    __slots__ = ()

    name: str
    created_by: str
    created_at: str
    updated_by: str
    updated_at: str


class Signals(Record):
    __slots__ = ()

    cancel: bool
    drain: bool


class SinkTest(Record):
    """A test event that waits to be sent."""

    __slots__ = ()

    event_id: str
    sink: Json


class Start(Record):
    """The ways to sign in: whether the first admin is still to be created, whether sign-up is open, whether passwords
    are accepted, and the display name of single sign-on, if it is set up."""

    __slots__ = ()

    first_admin: bool
    open_signup: bool
    password: bool
    sso: str | None


class Version(Record):
    """A version of a job, and its changes from the version before."""

    __slots__ = ()

    version: int
    created_by: str
    created_at: str
    note: str | None
    definition: Json
    changes: list[Json]
