"""The shapes of the worker protocol (docs/worker-protocol.md) and of worker keys."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from horae.domain.text.ids import ID
from horae.domain.time.instants import Instant

Id = Annotated[str, Field(pattern=f"^{ID}$")]
Name = Annotated[str, Field(min_length=1, max_length=200)]
Queue = Annotated[str, Field(min_length=1, max_length=100)]
Count = Annotated[int, Field(ge=0, le=10_000_000_000)]
Wait = Annotated[float, Field(ge=0, le=30, strict=False)]
Status = Literal["idle", "busy", "draining"]
Trouble = Annotated[str, Field(max_length=300)]


class WorkerBody(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class FunctionBody(WorkerBody):
    """A function that an agent can call, as JSON Schema describes its `parameters`."""

    name: Name
    display_name: Name
    description: Annotated[str, Field(max_length=10_000)] = ""
    handler: Annotated[str, Field(max_length=500)]
    kind: Literal["async", "process", "thread"]
    queue: Queue | None = None
    default_timeout: Annotated[float, Field(gt=0, le=31_536_000, strict=False)] | None = None
    parameters: Annotated[str, Field(max_length=65_536)]


class RegisterBody(WorkerBody):
    instance: Id
    protocols: Annotated[list[int], Field(min_length=1, max_length=20)]
    version: Annotated[str, Field(min_length=1, max_length=50)]
    offers: Annotated[list[Name], Field(min_length=1, max_length=2_000)]
    slots: Annotated[int, Field(ge=1, le=10_000)]
    name: Name | None = None
    hostname: Annotated[str, Field(max_length=255)] = ""
    platform: Annotated[str, Field(max_length=100)] = ""
    queues: Annotated[list[Queue], Field(max_length=1_000)] = []
    functions: Annotated[list[FunctionBody], Field(max_length=2_000)] = []


class RegisteredView(BaseModel):
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


class BeatBody(WorkerBody):
    """How the agent is."""

    worker_id: Id
    status: Status = "idle"
    busy: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    runs_done: Count = 0
    trouble: Trouble | None = None


class ClaimBody(BeatBody):
    token: Id
    again: bool = False
    slots: Annotated[int, Field(ge=0, le=10_000)]
    ahead: Annotated[int, Field(ge=0, le=2_000)] = 0
    ahead_seconds: Annotated[float, Field(ge=0, le=60, strict=False)] = 1.0
    wait: Wait = 0.0


class ClaimedRunView(BaseModel):
    """`input` is JSON text."""

    id: str
    job_id: str
    project_id: str
    version: int
    attempt: int
    trigger: str
    scheduled_for: datetime | None
    input: str | None
    traceparent: str | None
    ahead: bool
    callback_url: str | None


class SecretFaultView(BaseModel):
    error: str
    permanent: bool


class ClaimedJobView(BaseModel):
    """A definition with the secrets that it names."""

    job_id: str
    version: int
    definition: dict[str, Any]
    secrets: dict[str, str]
    fault: SecretFaultView | None


class ClaimView(BaseModel):
    runs: list[ClaimedRunView]
    jobs: list[ClaimedJobView]
    more: bool
    waited_seconds: float
    lease_seconds: float
    drain: bool


class HeldBody(WorkerBody):
    """A run that the agent holds."""

    id: Id
    token: Id


class RenewBody(BeatBody):
    runs: Annotated[list[HeldBody], Field(max_length=20_000)]


class RenewView(BaseModel):
    renewed: list[str]
    cancel: list[str]
    lost: list[str]
    drain: bool


class SignalsBody(WorkerBody):
    worker_id: Id
    wait: Wait = 0.0


class SignalsView(BaseModel):
    cancel: bool
    drain: bool


class OutcomeBody(HeldBody):
    kind: Literal["succeeded", "failed", "timed_out", "cancelled", "interrupted", "parked"]
    result: Annotated[str, Field(max_length=131_072)] | None = None
    error: Annotated[str, Field(max_length=4_000)] | None = None
    traceback: Annotated[str, Field(max_length=65_536)] | None = None
    exit_code: Annotated[int, Field(ge=-(2**31), lt=2**31)] | None = None
    response_code: Annotated[int, Field(ge=0, le=999)] | None = None
    permanent: bool = False
    retry_after: Annotated[float, Field(ge=0, le=31_536_000, strict=False)] | None = None
    park_for: Annotated[float, Field(ge=1, le=31_536_000, strict=False)] | None = None
    duration_ms: Count
    ended_ms_ago: Count = 0


class ChunkBody(HeldBody):
    seq: Annotated[int, Field(ge=1, le=899_999_999)]
    stream: Literal["stdout", "stderr", "system"]
    text: Annotated[str, Field(min_length=1, max_length=65_536)]
    ms_ago: Count = 0


class ProgressBody(HeldBody):
    fraction: Annotated[float, Field(ge=0, le=1, strict=False)]
    note: Annotated[str, Field(max_length=500)] | None = None


class ReportBody(WorkerBody):
    worker_id: Id
    outcomes: Annotated[list[OutcomeBody], Field(max_length=1_000)] = []
    logs: Annotated[list[ChunkBody], Field(max_length=1_000)] = []
    progress: Annotated[list[ProgressBody], Field(max_length=1_000)] = []
    wait: bool = True


class ReportView(BaseModel):
    refused: list[str]
    log_full: list[str]


class ReleasedBody(HeldBody):
    unreadable: Annotated[str, Field(max_length=500)] | None = None


class ReleaseBody(WorkerBody):
    worker_id: Id
    runs: Annotated[list[ReleasedBody], Field(max_length=10_000)]


class ReleaseView(BaseModel):
    released: int


class GoodbyeBody(WorkerBody):
    worker_id: Id
    runs_done: Count = 0


class GoodbyeView(BaseModel):
    pass


class WorkerKeyBody(WorkerBody):
    """Empty lists: all of them. A capability that ends with * stands for all that begin so."""

    name: Name
    projects: Annotated[list[Name], Field(max_length=100)] = []
    queues: Annotated[list[Queue], Field(max_length=1_000)] = []
    capabilities: Annotated[list[Name], Field(max_length=1_000)] = []
    worker_name: Name | None = None
    expires_at: Instant | None = None


class RotateBody(WorkerBody):
    """`overlap`: seconds for which the key before stays valid."""

    overlap: Annotated[float, Field(ge=0, le=2_592_000, strict=False)] = 86_400.0


class WorkerKeyView(BaseModel):
    id: str
    name: str
    projects: list[str]
    queues: list[str]
    capabilities: list[str]
    worker_name: str | None
    prefix: str
    created_by: str
    created_at: datetime
    expires_at: datetime | None
    previous_until: datetime | None


class NewWorkerKeyView(WorkerKeyView):
    """`key` is shown only once."""

    key: str
