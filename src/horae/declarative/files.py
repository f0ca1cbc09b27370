"""Definitions in YAML files.

A file holds one job, a list of jobs, or `jobs:` with a list; several documents in one file are fine. A folder stands
for all its `*.yaml` and `*.yml`, in the order of their names. A file `jobs.ENV.yaml` beside `jobs.yaml` is an overlay:
with `--env ENV` its entries are merged over the jobs of the same name (null restores a default), without it the file is
ignored.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from horae.declarative import reading
from horae.domain.errors import InvalidInput
from horae.domain.jobs.job import JobSpec
from horae.domain.jobs.merge_patch import patch_definition
from horae.domain.jobs.stored import too_large
from horae.domain.text.validation_text import readable

Json = dict[str, Any]
STDIN = Path("-")
_ENDINGS = (".yaml", ".yml")
_STATE = ("enabled",)


@dataclass(frozen=True, slots=True)
class Declared:
    """A job as a file declares it."""

    spec: JobSpec
    enabled: bool
    source: str

    @property
    def name(self) -> str:
        return self.spec.name


@dataclass(frozen=True, slots=True)
class _Entry:
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


def load(paths: Iterable[Path], env: str | None = None) -> list[Declared]:
    """The jobs of these files and folders. Raises InvalidInput that names the file, the line and what is wrong."""
    plain: dict[str, _Entry] = {}
    overlays: dict[str, list[Path]] = {}
    for file in (file for path in paths for file in _files(path)):
        overlay = _overlay_of(file)
        if overlay is not None:
            overlays.setdefault(overlay, []).append(file)
            continue
        for entry in _entries(file):
            _add(plain, entry)
    if env is not None:
        _lay_over(plain, env, overlays)
    return [_declared(entry) for entry in plain.values()]


def _lay_over(plain: dict[str, _Entry], env: str, overlays: dict[str, list[Path]]) -> None:
    if env not in overlays:  # a typo must not apply what is meant for another environment
        known = f"; there are overlays for {', '.join(sorted(overlays))}" if overlays else ""
        raise InvalidInput(
            "--env", f"no file is an overlay for {env!r}, such as jobs.{env}.yaml next to jobs.yaml{known}"
        )
    for entry in (entry for file in overlays[env] for entry in _entries(file)):
        name = entry.fields["name"]
        if name not in plain:
            raise InvalidInput(entry.source, f"overlays the job {name!r}, which no file declares")
        below = plain[name]
        plain[name] = _Entry(patch_definition(below.fields, entry.fields), entry.file, entry.node, below)


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


def _entries(file: Path) -> Iterator[_Entry]:
    name = "standard input" if file == STDIN else str(file)
    for node in reading.documents(_text(file), name):
        for part in _jobs_in(name, node):
            fields = reading.value(part, name)
            source = f"{name}:{reading.line(part)}"
            if not isinstance(fields, dict):
                raise InvalidInput(source, "must be a job: name, target and so on")
            if "apiVersion" in fields:
                raise InvalidInput(source, "is a Kubernetes manifest; see `horae import kubernetes --help`")
            if not isinstance(fields.get("name"), str):
                raise InvalidInput(source, "its name must be a string" if "name" in fields else "has no name")
            yield _Entry(fields, name, part)


def _text(file: Path) -> str:
    try:
        raw = sys.stdin.buffer.read() if file == STDIN else file.read_bytes()
        return raw.decode()
    except OSError as error:
        raise InvalidInput(str(file), f"cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        number = error.object.count(b"\n", 0, error.start) + 1
        raise InvalidInput(f"{file}:{number}", "is not UTF-8 text") from None


def _jobs_in(name: str, node: Any) -> list[Any]:
    if isinstance(node, yaml.ScalarNode) and node.tag.endswith(":null"):
        return []
    if isinstance(node, yaml.MappingNode):
        keys = [key.value for key, _ in node.value]
        if "jobs" not in keys:
            return [node]
        if keys.count("jobs") > 1:
            raise InvalidInput(f"{name}:{reading.line(node)}", "'jobs' appears twice")
        # Keys that begin with `x-` hold the targets of aliases.
        if others := [key for key in keys if key != "jobs" and not str(key).startswith("x-")]:
            place = f"{name}:{reading.line(node, str(others[0]))}"
            raise InvalidInput(place, f"{others[0]!r} appears beside jobs; a file with jobs must contain nothing else")
        node = next(inner for key, inner in node.value if key.value == "jobs")
    if isinstance(node, yaml.ScalarNode) and node.tag.endswith(":null"):
        return []
    if not isinstance(node, yaml.SequenceNode):
        raise InvalidInput(f"{name}:{reading.line(node)}", "must contain a job, a list of jobs, or jobs: with a list")
    return list(node.value)


def _add(known: dict[str, _Entry], entry: _Entry) -> None:
    name = entry.fields["name"]
    if name in known:
        raise InvalidInput(entry.source, f"the job {name!r} is already in {known[name].source}")
    known[name] = entry


def _declared(entry: _Entry) -> Declared:
    fields = {name: value for name, value in entry.fields.items() if name not in _STATE}
    enabled = entry.fields.get("enabled", True)
    if not isinstance(enabled, bool):
        raise InvalidInput(f"{entry.place('enabled')}: enabled", "must be true or false")
    try:
        spec = JobSpec.model_validate(fields)
    except ValidationError as error:
        field, message = readable(error.errors(include_url=False, include_input=False))[0]
        raise InvalidInput(f"{entry.place(field)}: {field}", f"{message}{_hint(field, message)}") from None
    if (reason := too_large(spec)) is not None:
        raise InvalidInput(f"{entry.place('target')}: target", reason)
    return Declared(spec, enabled, entry.source)


def _hint(field: str, message: str) -> str:
    if "not a known field" not in message or "." in field:  # its parts have other fields
        return ""
    near = difflib.get_close_matches(field, JobSpec.model_fields, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""
