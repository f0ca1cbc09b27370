"""Jobs, channels and pings as YAML text: the same bytes for the same ones, without default values, in the usual
order of a definition."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import yaml
from pydantic import BaseModel

from horae.declarative.beside import definition_of
from horae.declarative.kinds import Kind
from horae.declarative.plan import Json, spec_of
from horae.domain.jobs.difference import essence
from horae.domain.jobs.job import JobSpec
from horae.domain.notify.channel import ChannelDefinition
from horae.domain.targets.templates import STORED


def export(jobs: Iterable[Json], names: Mapping[str, str]) -> str:
    return text({"jobs": definitions(jobs, names)})


def definitions(jobs: Iterable[Json], names: Mapping[str, str]) -> list[Json]:
    """`names` of all jobs by id: a dependency is written by its name."""
    found = sorted(jobs, key=lambda job: job["name"])
    return [definition(spec_of(job, names), enabled=job["enabled"]) for job in found]


def beside(kind: Kind, shown: Iterable[Json]) -> list[Json]:
    """Channels or pings; of a channel, what is secret only where it names a secret of the project."""
    return [definition(definition_of(kind, one)) for one in sorted(shown, key=lambda one: one["name"])]


def text(whole: Json) -> str:
    """A file, from the lists that it has."""
    return yaml.dump(whole, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)


def fields(said: Json) -> list[str]:
    """Lines of YAML, for people."""
    return text(said).splitlines()


def definition(spec: BaseModel, *, enabled: bool = True) -> Json:
    """Reading it again gives the same. `max_instances` of a job has two defaults: it is left out if it has the
    applicable one."""
    said: Json = {}
    order = sorted(type(spec).model_fields.items(), key=lambda field: field[0] != "name")
    if isinstance(spec, ChannelDefinition):
        order.sort(key=lambda field: field[0] not in ("name", "target"))
    for name, info in order:
        value = getattr(spec, name)
        if isinstance(spec, JobSpec) and name == "max_instances":
            if value != _default_instances(spec):
                said[name] = value
        elif value != info.get_default(call_default_factory=True):
            said[name] = essence(value) if isinstance(value, BaseModel) else _plain(value)
    if not enabled:
        said["enabled"] = False
    return _whole(said, ("target",))


def _default_instances(spec: JobSpec) -> int | None:
    fields = {**spec.model_dump(), "schedule": spec.schedule}
    del fields["max_instances"]
    default: int | None = JobSpec.model_validate(fields, context=STORED).max_instances
    return default


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _whole(value: Any, left_alone: tuple[str, ...] = ()) -> Any:
    """`60` rather than `60.0`, as it was written; arguments of a function stay as they are."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {name: inner if name in left_alone else _whole(inner) for name, inner in value.items()}
    return [_whole(inner) for inner in value] if isinstance(value, list | tuple) else value


class _Dumper(yaml.SafeDumper):
    """Writes multi-line texts as blocks, so that scripts stay readable."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: _Dumper, value: str) -> yaml.ScalarNode:
    block = "\n" in value and not any(line.endswith((" ", "\t")) for line in value.split("\n"))
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style="|" if block else None)


_Dumper.add_representer(str, _text)
