"""What would have to be done so that the channels and pings beside the jobs are as the files say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from pydantic import SecretStr

from horae.declarative.files import Declared, Files
from horae.declarative.kinds import MODELS, Kind
from horae.declarative.plan import Action, Json, Step, doomed
from horae.domain.errors import InvalidInput
from horae.domain.jobs.difference import Change, changes, made
from horae.domain.notify.channel import ChannelDefinition, unknown_channel
from horae.domain.notify.targets import merged_secrets
from horae.domain.pings.spec import PingSpec

S = TypeVar("S", ChannelDefinition, PingSpec)


def plan_channels(files: Files, current: Iterable[Json], *, prune: bool = False) -> list[Step]:
    """A channel's tags say which jobs it listens to, not where it belongs: it is never pruned by a tag."""
    there = {channel["name"]: channel for channel in current}
    gone = doomed(Kind.CHANNEL, files.channels, there, None) if prune and Kind.CHANNEL in files.named else []
    _check_notify(files, there.keys() - {channel["name"] for channel in gone})
    return _steps(Kind.CHANNEL, [_settled(one, there.get(one.name)) for one in files.channels], there, gone)


def plan_pings(files: Files, current: Iterable[Json], *, prune: bool = False, tag: str | None = None) -> list[Step]:
    there = {ping["name"]: ping for ping in current}
    gone = doomed(Kind.PING, files.pings, there, tag) if prune and Kind.PING in files.named else []
    return _steps(Kind.PING, files.pings, there, gone)


def definition_of(kind: Kind, shown: Json) -> Any:
    """The definition in the API's answer."""
    model = MODELS[kind]
    return model.model_validate({name: shown[name] for name in model.model_fields if name in shown}, strict=False)


def has_own_secret(channel: Json) -> bool:
    """Whether something secret about a channel is not a secret of the project: it cannot be exported."""
    target = definition_of(Kind.CHANNEL, channel).target
    return bool(channel["has_secret"]) and target.references().keys() != set(target.secret)


def _check_notify(files: Files, staying: Iterable[str]) -> None:
    """Jobs that name channels that will not exist are refused before anything is changed."""
    known = {*staying, *(channel.name for channel in files.channels)}
    for job in files.jobs:
        for place, name in enumerate(job.spec.notify):
            if name not in known:
                raise InvalidInput(f"{job.source}: notify[{place}]", unknown_channel(name))


def _settled(one: Declared[ChannelDefinition], there: Json | None) -> Declared[ChannelDefinition]:
    """With the secrets that the file leaves as they are. Those of a new channel must be named."""
    target = one.spec.target
    if there is None:
        try:
            merged_secrets(target, None, {"key": "is generated"})
        except InvalidInput as error:
            raise InvalidInput(f"{one.source}: {error.field}", "must name a secret: {{ secrets.NAME }}") from None
        return one
    known = there.get("target") or {"kind": there["kind"]}
    if known["kind"] != target.kind:
        raise InvalidInput(f"{one.source}: target.kind", "cannot be changed: declare a channel of another name")
    kept = {name: SecretStr(known[name]) for name in target.secret if name in known and getattr(target, name) is None}
    spec = one.spec.model_copy(update={"target": target.model_copy(update=kept)})
    return Declared(spec, one.enabled, one.source)


def _steps(kind: Kind, declared: Sequence[Declared[S]], there: dict[str, Json], gone: list[Json]) -> list[Step]:
    steps = [_step(kind, one, there.get(one.name)) for one in sorted(declared, key=lambda one: one.name)]
    return steps + [Step(Action.DELETE, one["name"], version=one.get("version"), kind=kind) for one in gone]


def _step(kind: Kind, one: Declared[S], there: Json | None) -> Step:
    if there is None:
        said = [change for change in made(one.spec) if change.path != "name"]
        return Step(Action.CREATE, one.name, one, changes=said, kind=kind)
    if there.get("unreadable"):
        found = [Change("definition", there["unreadable"], "as declared")]
    else:
        found = changes(definition_of(kind, there), one.spec)
    return Step(Action.CHANGE if found else Action.SAME, one.name, one, there.get("version"), found, kind)
