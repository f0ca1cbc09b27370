"""Secrets: save, delete, re-encrypt; and the rules for definitions that name them. Values arrive here encrypted."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from horae.accounts.projects import hold_project
from horae.accounts.quotas import take
from horae.domain.errors import Conflict, InvalidInput, NotFound
from horae.domain.jobs.job import JobSpec
from horae.domain.jobs.stored import too_large
from horae.domain.people.quota import Quota
from horae.domain.runs.claim import Leased
from horae.domain.runs.ending import Over
from horae.domain.secrets.credentials import literal_credential, place_of
from horae.domain.secrets.redaction import Redactor, redactor
from horae.domain.secrets.secret import CannotOpen, Sealed, SecretRecord, unknown
from horae.domain.ssrf_guard import never_called
from horae.domain.targets import HttpTarget
from horae.ports import Seals, Transaction

_LISTED = 10
_BATCH = 100


async def set_secret(tx: Transaction, *, sealed: Sealed, actor: str) -> tuple[SecretRecord, bool]:
    """Creates a secret or replaces its value; returns whether it is new."""
    await hold_project(tx, sealed.project_id)
    before = await tx.secrets.find(sealed.project_id, sealed.name, lock=True)
    if before is None:
        await take(tx, sealed.project_id, {Quota.SECRETS: 1})
    await tx.secrets.save(sealed, actor)
    saved = await tx.secrets.find(sealed.project_id, sealed.name)
    assert saved is not None
    # Only that it was set, never the value.
    action = "secret.create" if before is None else "secret.replace"
    await tx.audit.add(action, actor=actor, project_id=sealed.project_id, name=sealed.name)
    return saved, before is None


async def delete_secret(tx: Transaction, *, project_id: str, name: str, force: bool, actor: str) -> None:
    """Refused while a job or a channel names it, unless forced: then the job's next run fails, and the channel's
    messages wait until it is set again."""
    if await tx.secrets.find(project_id, name, lock=True) is None:
        raise NotFound(f"there is no secret {name!r}")
    # A transaction that saves a job locks its secrets' rows until the job is visible here.
    if not force and (jobs := await tx.secrets.named_by(project_id, name, _LISTED + 1)):
        more = " and others" if len(jobs) > _LISTED else ""
        raise Conflict(f"jobs use this secret: {', '.join(job.name for job in jobs[:_LISTED])}{more}")
    if not force and (channels := await tx.channels.using(project_id, name)):
        raise Conflict(f"channels use this secret: {', '.join(channels[:_LISTED])}")
    await tx.secrets.delete(project_id, name)
    await tx.audit.add("secret.delete", actor=actor, project_id=project_id, name=name)


async def check_definition(tx: Transaction, project_id: str, spec: JobSpec) -> None:
    """Refuses a definition that is too large, calls a forbidden address, contains a credential itself, or names an
    unknown secret. Here rather than in the model: definitions saved before the rule must stay readable."""
    if (reason := too_large(spec)) is not None:
        raise InvalidInput("target", reason)
    if isinstance(spec.target, HttpTarget) and (reason := never_called(spec.target.url)) is not None:
        raise InvalidInput("target.url", reason)
    if (field := literal_credential(spec.target)) is not None:
        raise InvalidInput(
            f"target.{field}", "must come from a secret, as in {{ secrets.NAME }}: definitions are kept forever"
        )
    names = spec.target.secrets
    for name in sorted(names - await tx.secrets.known(project_id, names)):
        raise InvalidInput(f"target{place_of(spec.target, name)}", unknown(name))


async def secrets_of_run(tx: Transaction, run: Leased | Over, seals: Seals | None) -> Redactor:
    """The values to redact from a run's output; if values were changed meanwhile, the new ones."""
    definitions = await tx.jobs.definitions([(run.job_id, run.version)])
    names = {name for spec in definitions.values() for name in spec.target.secrets}
    if seals is None or not names:
        return redactor({})
    found: dict[str, str] = {}
    for sealed in await tx.secrets.sealed({(run.project_id, name) for name in names}):
        with suppress(CannotOpen):
            found[sealed.name] = seals.open(sealed)
    return redactor(found)


@dataclass(frozen=True, slots=True)
class Resealed:
    """What a step of a rotation did, and where the next one continues; None: it was the last."""

    done: int
    cannot: list[str]
    after: tuple[str, str] | None


async def reseal(tx: Transaction, *, seals: Seals, after: tuple[str, str] | None = None) -> Resealed:
    """Re-encrypts some values with the current key; those that no key decrypts stay as they are."""
    done, cannot = 0, []
    rows = await tx.secrets.not_of(seals.key_id, limit=_BATCH, after=after)
    for old, project in rows:
        try:
            value = seals.open(old)
        except CannotOpen:
            cannot.append(f"{old.name} (project {project})")
            continue
        # If it was just set, it is already encrypted with the current key.
        done += await tx.secrets.reseal(old, seals.seal(old.project_id, old.name, value))
    last = rows[-1][0] if len(rows) == _BATCH else None
    return Resealed(done, cannot, None if last is None else (last.project_id, last.name))
