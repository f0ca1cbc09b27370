"""Submission: a batch of messages becomes runs and jobs, each message with its own answer."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Collection, Iterable, Sequence
from itertools import groupby

import structlog

from horae.accounts.quotas import note_refusal
from horae.api.auth import Principal
from horae.api.enqueuing import input_text
from horae.api.errors import KINDS, status_of
from horae.domain.errors import HoraeError, NotAllowed, QuotaReached, StoreUnavailable
from horae.domain.jobs.policy import Defaults
from horae.domain.people.quota import Quota
from horae.intake.request import CreateOp, TriggerOp, parse_request
from horae.intake.source import IntakeMessage
from horae.lifecycle.submit import TriggerRequest
from horae.lifecycle.trigger_many import (
    Answer,
    Apart,
    KeyedCreation,
    KeyedTrigger,
    OnceKey,
    Verdict,
    create_once,
    trigger_many,
)
from horae.ports import Ids, Store

log = structlog.get_logger()
_REMEMBERED = 10_000  # jobs that need a transaction of their own
_INTERNAL = HoraeError("internal error: the log of the intake has the details")


class Submission:
    """`keys` are the secret keys, the current one first: requests are stored as HMACs, as they may contain secrets."""

    def __init__(self, store: Store, ids: Ids, defaults: Defaults, keys: Sequence[str], scope: str) -> None:
        self._store, self._ids, self._defaults, self._scope = store, ids, defaults, scope
        self._keys = [key.encode() for key in keys]
        self._apart: set[str] = set()  # a wrong guess costs time only

    async def submit(self, messages: Sequence[IntakeMessage], principal: Principal) -> list[Answer]:
        """In the order of the messages. Raises StoreUnavailable: then some may have been submitted, and all can be
        submitted again."""
        answers: dict[int, Answer] = {}
        read: list[tuple[int, IntakeMessage, TriggerOp | CreateOp]] = []
        for place, message in enumerate(messages):
            try:
                read.append((place, message, parse_request(message)))
            except HoraeError as error:
                answers[place] = Answer(Verdict.REFUSED, error)
        # A trigger may be for the job that the message before it creates.
        for creates, part in groupby(read, lambda one: isinstance(one[2], CreateOp)):
            answered = self._create if creates else self._trigger
            found = list(part)
            said = await answered([(message, op) for _, message, op in found], principal)
            answers |= {place: answer for (place, _, _), answer in zip(found, said, strict=True)}
        await self._note([answer.error for answer in answers.values()])
        return [answers[place] for place in range(len(messages))]

    # ---- triggers

    async def _trigger(
        self, found: Sequence[tuple[IntakeMessage, TriggerOp | CreateOp]], principal: Principal
    ) -> list[Answer]:
        asked = [self._asked(message, op) for message, op in found if isinstance(op, TriggerOp)]
        return await self._answered(asked, principal)

    async def _answered(self, asked: Sequence[KeyedTrigger], principal: Principal) -> list[Answer]:
        """Jobs that lock something have transactions of their own; the others share one."""
        answers: dict[str, Answer] = {}
        for part in self._parts(asked):
            said = await self._together(part, principal)
            answers |= {one.run.run_id: answer for one, answer in zip(part, said, strict=True)}
        return [answers[one.run.run_id] for one in asked]

    def _parts(self, asked: Sequence[KeyedTrigger]) -> Iterable[Sequence[KeyedTrigger]]:
        apart: dict[str, list[KeyedTrigger]] = {}
        for one in asked:
            apart.setdefault(one.ref if one.ref in self._apart else "", []).append(one)
        return apart.values()

    async def _together(self, asked: Sequence[KeyedTrigger], principal: Principal) -> list[Answer]:
        try:
            return await self._store.transact(trigger_many, **_whose(principal), holder=self._ids.new(), asked=asked)
        except Apart as found:
            self._remember(found.refs)
            return await self._answered(asked, principal)
        except StoreUnavailable:
            raise
        except Exception:
            if len(asked) == 1:
                log.exception("a request failed")
                return [Answer(Verdict.REFUSED, _INTERNAL)]
            # One that cannot be executed must not block the others.
            return [answer for one in asked for answer in await self._together([one], principal)]

    def _remember(self, refs: Collection[str]) -> None:
        if len(self._apart) + len(refs) > _REMEMBERED:
            self._apart.clear()
        self._apart |= set(refs)

    def _asked(self, message: IntakeMessage, op: TriggerOp) -> KeyedTrigger:
        body = op.body
        run = TriggerRequest(self._ids.new(), input_text(body.input), body.run_at, body.priority)
        return KeyedTrigger(self._key(message, op), op.ref, run)

    # ---- jobs

    async def _create(
        self, found: Sequence[tuple[IntakeMessage, TriggerOp | CreateOp]], principal: Principal
    ) -> list[Answer]:
        return [await self._created(message, op, principal) for message, op in found if isinstance(op, CreateOp)]

    async def _created(self, message: IntakeMessage, op: CreateOp, principal: Principal) -> Answer:
        try:
            if not principal.may("jobs:write"):
                raise NotAllowed(f"this needs the permission jobs:write, which the role {principal.role} lacks")
            body = op.body
            spec = body.spec(self._defaults)
            principal.may_write(spec)
            key = self._key(message, op)
            creation = KeyedCreation(key, self._ids.new(), spec, body.enabled, body.model_fields_set)
            return await self._store.transact(
                create_once, **_whose(principal), holder=self._ids.new(), creation=creation
            )
        except StoreUnavailable:
            raise
        except QuotaReached as error:
            return Answer(Verdict.LATER, error)
        except HoraeError as error:
            return Answer(Verdict.REFUSED, error)
        except Exception:
            log.exception("a request failed")
            return Answer(Verdict.REFUSED, _INTERNAL)

    # ---- both

    def _key(self, message: IntakeMessage, op: TriggerOp | CreateOp) -> OnceKey:
        """Keys belong to the source: the same id elsewhere, or a request of the API with this key, is another."""
        digest = hashlib.sha256(f"intake\0{self._scope}\0{op.id}".encode()).hexdigest()
        return OnceKey(digest, [hmac.digest(key, message.body, "sha256").hex() for key in self._keys])

    async def _note(self, errors: Iterable[HoraeError | None]) -> None:
        """Refusals by a quota are counted, as those of the API are."""
        reached = {error.quota: error for error in errors if isinstance(error, QuotaReached)}
        for quota, error in reached.items():
            if error.project_id is not None:
                await self._store.transact(note_refusal, project_id=error.project_id, quota=Quota(quota))


def _whose(principal: Principal) -> dict[str, str]:
    return {"project_id": principal.project_id, "actor": principal.actor}


def reason_of(error: HoraeError | None) -> str:
    """In one word, as the type of the API's problems."""
    return "internal" if error is None else KINDS[status_of(error)][0]
