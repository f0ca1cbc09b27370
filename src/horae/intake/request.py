"""Requests, as messages contain them: validated with the API's own models.

{"op": "trigger", "job": "mail", "input": …, "run_at": …, "priority": …, "idempotency_key": …}
{"op": "create", "job": {…}, "idempotency_key": …}
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from horae.api.body import MAX_BYTES, parse, validate
from horae.api.errors import TooLarge
from horae.api.schemas import JobBody, TriggerBody
from horae.domain.errors import InvalidInput, NotFound
from horae.intake.source import IntakeMessage

OPS = ("trigger", "create")
_ID = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?", re.ASCII)
_LONGEST_REF = 200


@dataclass(frozen=True, slots=True)
class TriggerOp:
    id: str
    ref: str
    body: TriggerBody


@dataclass(frozen=True, slots=True)
class CreateOp:
    id: str
    body: JobBody


def parse_request(message: IntakeMessage) -> TriggerOp | CreateOp:
    """Raises what the API would refuse the request with."""
    if len(message.body) > MAX_BYTES:
        raise TooLarge("the message is larger than 1 MiB")
    value = parse(message.body)
    if not isinstance(value, dict):
        raise InvalidInput("", "the message must be a JSON object")
    op = value.pop("op", "trigger")
    if op not in OPS:
        raise InvalidInput("op", f"must be one of {', '.join(OPS)}")
    key = _id(value.pop("idempotency_key", None), message.id)
    if "job" not in value:
        raise InvalidInput("job", "is missing")
    job = value.pop("job")
    return _trigger(key, job, value) if op == "trigger" else _create(key, job, value)


def _id(given: Any, delivered: str | None) -> str:
    field, found = ("message_id", delivered) if given is None else ("idempotency_key", given)
    if found is None:
        raise InvalidInput(
            field, "is missing: give the message an id, or an idempotency_key, by which a redelivery is recognised"
        )
    if not isinstance(found, str) or not _ID.fullmatch(found):
        raise InvalidInput(field, "must be 1 to 255 printable ASCII characters")
    return found


def _trigger(key: str, job: Any, rest: dict[str, Any]) -> TriggerOp:
    if not isinstance(job, str) or not job:
        raise InvalidInput("job", "must be a job's name or id")
    if len(job) > _LONGEST_REF:
        raise NotFound("there is no such job")
    return TriggerOp(key, job, validate(TriggerBody, rest))


def _create(key: str, job: Any, rest: dict[str, Any]) -> CreateOp:
    if not isinstance(job, dict):
        raise InvalidInput("job", "must be the definition of a job")
    if rest:
        raise InvalidInput(next(iter(rest)), "is unknown: the fields of the job belong into `job`")
    return CreateOp(key, validate(JobBody, job))
