"""Definitions in YAML files.

A file holds one job, a list of jobs, or lists below `jobs:`, `channels:` and `pings:`; several documents in one file
are fine. A folder stands for all its `*.yaml` and `*.yml`, in the order of their names. A file `jobs.ENV.yaml` beside
`jobs.yaml` is an overlay: with `--env ENV` its entries are merged over those of the same name (null restores a
default), without it the file is ignored.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

import yaml
from pydantic import ValidationError

from horae.declarative import reading
from horae.declarative.kinds import KEYS, MODELS, Kind
from horae.domain.errors import InvalidInput
from horae.domain.jobs.job import JobSpec
from horae.domain.jobs.merge_patch import patch_definition
from horae.domain.jobs.stored import too_large
from horae.domain.notify.channel import ChannelDefinition
from horae.domain.notify.targets import named_secret
from horae.domain.pings.spec import PingSpec
from horae.domain.text.validation_text import readable

Json = dict[str, Any]
STDIN = Path("-")
_ENDINGS = (".yaml", ".yml")
S = TypeVar("S", JobSpec, ChannelDefinition, PingSpec)


@dataclass(frozen=True, slots=True)
class Declared(Generic[S]):
    """A job, a channel or a ping as a file declares it. `enabled` is the state of a job beside its definition."""

    spec: S
    enabled: bool
    source: str

    @property
    def name(self) -> str:
        return self.spec.name


@dataclass(frozen=True, slots=True)
class Files:
    """What files declare. `named` are the kinds that have a list in some file, even an empty one."""

    jobs: list[Declared[JobSpec]] = field(default_factory=list)
    channels: list[Declared[ChannelDefinition]] = field(default_factory=list)
    pings: list[Declared[PingSpec]] = field(default_factory=list)
    named: set[Kind] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class _Entry:
    kind: Kind
    fields: Json
    file: str
    node: Any
    below: _Entry | None = None  # the base that it overlays

    @property
    def source(self) -> str:
        own = f"{self.file}:{reading.line(self.node)}"
        return own if self.below is None else f"{self.below.source} and {own}"

    def place(self, field: str) -> str:
        """Where a field was set: in the overlay, if that names it at all."""
        first = field.partition(".")[0].partition("[")[0]
        if self.below is not None and first not in (key.value for key, _ in self.node.value):
            return self.below.place(field)
        return f"{self.file}:{reading.line(self.node, field)}"


_Known = dict[tuple[Kind, str], _Entry]


def load(paths: Iterable[Path], env: str | None = None) -> Files:
    """What these files and folders declare. Raises InvalidInput that names the file, the line and what is wrong."""
    found = Files()
    plain: _Known = {}
    overlays: dict[str, list[Path]] = {}
    for file in (file for path in paths for file in _files(path)):
        overlay = _overlay_of(file)
        if overlay is not None:
            overlays.setdefault(overlay, []).append(file)
            continue
        for entry in _entries(file, found.named):
            _add(plain, entry)
    if env is not None:
        _lay_over(plain, env, overlays)
    lists: dict[Kind, list[Any]] = {Kind.JOB: found.jobs, Kind.CHANNEL: found.channels, Kind.PING: found.pings}
    for entry in plain.values():
        lists[entry.kind].append(_declared(entry))
    return found


def _lay_over(plain: _Known, env: str, overlays: dict[str, list[Path]]) -> None:
    if env not in overlays:  # a typo must not apply what is meant for another environment
        known = f"; there are overlays for {', '.join(sorted(overlays))}" if overlays else ""
        raise InvalidInput(
            "--env", f"no file is an overlay for {env!r}, such as jobs.{env}.yaml next to jobs.yaml{known}"
        )
    for entry in (entry for file in overlays[env] for entry in _entries(file, set())):
        key = entry.kind, entry.fields["name"]
        if key not in plain:
            raise InvalidInput(entry.source, f"overlays the {entry.kind} {key[1]!r}, which no file declares")
        below = plain[key]
        merged = patch_definition(below.fields, entry.fields)
        plain[key] = _Entry(entry.kind, merged, entry.file, entry.node, below)


def _files(path: Path) -> Iterator[Path]:
    if path.is_dir():
        found = sorted(file for file in path.rglob("*") if file.suffix in _ENDINGS and file.is_file())
        if not found:
            raise InvalidInput(str(path), "contains no .yaml or .yml file")
        yield from found
    elif path == STDIN or path.is_file() or path.is_fifo():  # `<(…)` of a shell is a FIFO
        yield path
    else:
        raise InvalidInput(str(path), "is neither a file nor a folder")


def _overlay_of(file: Path) -> str | None:
    """`jobs.prod.yaml` belongs to `prod`, if there is a `jobs.yaml` beside it."""
    stem, dot, env = file.stem.rpartition(".")
    return env if dot and any((file.with_name(stem + ending)).exists() for ending in _ENDINGS) else None


def _entries(file: Path, named: set[Kind]) -> Iterator[_Entry]:
    name = "standard input" if file == STDIN else str(file)
    for kind, part in (found for node in reading.documents(_text(file), name) for found in _parts(name, node, named)):
        fields = reading.value(part, name)
        source = f"{name}:{reading.line(part)}"
        if not isinstance(fields, dict):
            what = "" if kind is Kind.PING else ", target"
            raise InvalidInput(source, f"must be a {kind}: name{what} and so on")
        if "apiVersion" in fields:
            raise InvalidInput(source, "is a Kubernetes manifest; see `horae import kubernetes --help`")
        if not isinstance(fields.get("name"), str):
            raise InvalidInput(source, "its name must be a string" if "name" in fields else "has no name")
        yield _Entry(kind, fields, name, part)


def _text(file: Path) -> str:
    try:
        raw = sys.stdin.buffer.read() if file == STDIN else file.read_bytes()
        return raw.decode()
    except OSError as error:
        raise InvalidInput(str(file), f"cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        number = error.object.count(b"\n", 0, error.start) + 1
        raise InvalidInput(f"{file}:{number}", "is not UTF-8 text") from None


def _parts(name: str, node: Any, named: set[Kind]) -> Iterator[tuple[Kind, Any]]:
    """What a document declares."""
    if not isinstance(node, yaml.MappingNode):
        found = _list(name, node)
        named.update([Kind.JOB] if found else [])
        yield from ((Kind.JOB, part) for part in found)
        return
    keys = [str(key.value) for key, _ in node.value]
    lists = [key for key in keys if key in KEYS]
    if not lists:
        named.add(Kind.JOB)
        yield Kind.JOB, node
        return
    if twice := next((key for key in lists if lists.count(key) > 1), None):
        raise InvalidInput(f"{name}:{reading.line(node)}", f"{twice!r} appears twice")
    # Keys that begin with `x-` hold what aliases refer to.
    if others := [key for key in keys if key not in KEYS and not key.startswith("x-")]:
        place = f"{name}:{reading.line(node, others[0])}"
        raise InvalidInput(place, f"{others[0]!r} is not allowed next to {lists[0]}; a file may have {', '.join(KEYS)}")
    for key, inner in node.value:
        if (kind := KEYS.get(str(key.value))) is not None:
            named.add(kind)
            yield from ((kind, part) for part in _list(name, inner))


def _list(name: str, node: Any) -> list[Any]:
    if isinstance(node, yaml.ScalarNode) and node.tag.endswith(":null"):
        return []
    if not isinstance(node, yaml.SequenceNode):
        raise InvalidInput(
            f"{name}:{reading.line(node)}", f"must contain a job, a list of jobs, or lists below {', '.join(KEYS)}"
        )
    return list(node.value)


def _add(known: _Known, entry: _Entry) -> None:
    key = entry.kind, entry.fields["name"]
    if key in known:
        raise InvalidInput(entry.source, f"the {entry.kind} {key[1]!r} is already in {known[key].source}")
    known[key] = entry


def _declared(entry: _Entry) -> Declared[Any]:
    fields, enabled = dict(entry.fields), True
    if entry.kind is Kind.JOB:
        enabled = fields.pop("enabled", True)
        if not isinstance(enabled, bool):
            raise InvalidInput(f"{entry.place('enabled')}: enabled", "must be true or false")
    try:
        spec = MODELS[entry.kind].model_validate(fields)
    except ValidationError as error:
        field, message = readable(error.errors(include_url=False, include_input=False))[0]
        hint = _hint(entry.kind, field, message)
        raise InvalidInput(f"{entry.place(field)}: {field}", f"{message}{hint}") from None
    if isinstance(spec, JobSpec) and (reason := too_large(spec)) is not None:
        raise InvalidInput(f"{entry.place('target')}: target", reason)
    if isinstance(spec, ChannelDefinition):
        _refuse_values(entry, spec)
    return Declared(spec, enabled, entry.source)


def _refuse_values(entry: _Entry, channel: ChannelDefinition) -> None:
    """What is secret has no place in a file, and could not be compared with what is there."""
    for name, value in channel.target.secrets().items():
        if named_secret(value) is None:
            field = f"target.{name}"
            raise InvalidInput(
                f"{entry.place(field)}: {field}",
                "must name a secret, as in {{ secrets.NAME }}, or be left out to keep the one that is set",
            )


def _hint(kind: Kind, field: str, message: str) -> str:
    if "not a known field" not in message or "." in field:  # the fields of its parts are others
        return ""
    near = difflib.get_close_matches(field, MODELS[kind].model_fields, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""
