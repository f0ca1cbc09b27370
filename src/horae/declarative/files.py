"""Definitions in YAML files.

A file holds one job, a list of jobs, or `jobs:` with a list; several documents in one file are fine. A folder stands
for all its `*.yaml` and `*.yml`, in the order of their names. A file `jobs.ENV.yaml` beside `jobs.yaml` is an overlay:
with `--env ENV` its entries are merged over the jobs of the same name (null brings back a default), without it the file
is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from horae.domain.errors import InvalidInput
from horae.domain.job import JobSpec
from horae.domain.wording import readable

Json = dict[str, Any]
_ENDINGS = (".yaml", ".yml")
_STATE = ("enabled", "notify")
KINDS = frozenset(("cron", "every", "at", "manual", "after"))


@dataclass(frozen=True, slots=True)
class Declared:
    """A job as a file says it is."""

    spec: JobSpec
    enabled: bool
    source: str

    @property
    def name(self) -> str:
        return self.spec.name


@dataclass(frozen=True, slots=True)
class _Entry:
    fields: Json
    source: str


def load(paths: Iterable[Path], env: str | None = None) -> list[Declared]:
    """The jobs of these files and folders. Raises InvalidInput that names the file, the line and what is wrong."""
    plain: dict[str, _Entry] = {}
    overlays: list[_Entry] = []
    for path in paths:
        for file in _files(path):
            overlay = _overlay_of(file)
            if overlay is not None and overlay != env:
                continue
            for entry in _entries(file):
                if overlay is None:
                    _add(plain, entry)
                else:
                    overlays.append(entry)
    for entry in overlays:
        name = entry.fields["name"]
        if name not in plain:
            raise InvalidInput(entry.source, f"is laid over the job {name!r}, which no file declares")
        plain[name] = _Entry(_merged(plain[name].fields, entry.fields), f"{plain[name].source} and {entry.source}")
    return [_declared(entry) for entry in plain.values()]


def _files(path: Path) -> Iterator[Path]:
    if path.is_dir():
        found = sorted(file for file in path.rglob("*") if file.suffix in _ENDINGS and file.is_file())
        if not found:
            raise InvalidInput(str(path), "holds no .yaml or .yml file")
        yield from found
    elif path.is_file():
        yield path
    else:
        raise InvalidInput(str(path), "is no file and no folder")


def _overlay_of(file: Path) -> str | None:
    """`jobs.prod.yaml` belongs to `prod`, if there is a `jobs.yaml` beside it."""
    stem, dot, env = file.stem.rpartition(".")
    return env if dot and any((file.with_name(stem + ending)).exists() for ending in _ENDINGS) else None


def _entries(file: Path) -> Iterator[_Entry]:
    try:
        documents = list(yaml.compose_all(file.read_text(encoding="utf-8"), Loader=_Loader))
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(str(file), f"cannot be read: {error}") from None
    except yaml.YAMLError as error:
        raise InvalidInput(str(file), _in_words(error)) from None
    for node in documents:
        for part in _jobs_in(file, node):
            source = f"{file}:{part.start_mark.line + 1}"
            fields = _value(file, part)
            if not isinstance(fields, dict):
                raise InvalidInput(source, "must be a job: name, target and so on")
            if not isinstance(fields.get("name"), str):
                raise InvalidInput(source, "has no name")
            yield _Entry(fields, source)


def _jobs_in(file: Path, node: Any) -> list[Any]:
    if node is None or (isinstance(node, yaml.ScalarNode) and node.tag.endswith(":null")):
        return []
    if isinstance(node, yaml.MappingNode):
        keys = {key.value: value for key, value in node.value}
        if "jobs" not in keys:
            return [node]
        if others := [name for name in keys if name != "jobs"]:
            raise InvalidInput(str(file), f"has {others[0]!r} beside jobs; a file with jobs holds nothing else")
        node = keys["jobs"]
    if not isinstance(node, yaml.SequenceNode):
        raise InvalidInput(str(file), "must hold a job, a list of jobs, or jobs: with a list")
    return list(node.value)


class _Loader(yaml.SafeLoader):
    """As safe as SafeLoader, and strict: a key twice is a mistake, and what is no JSON value is text."""


def _no_doubles(loader: _Loader, node: yaml.MappingNode) -> Json:
    loader.flatten_mapping(node)
    found: Json = {}
    for key_node, value_node in node.value:
        key = key_node.value  # as it is written: to YAML 1.1 `on` would be true
        if not isinstance(key, str) or key in found:
            raise yaml.constructor.ConstructorError(None, None, f"{key!r} is there twice", key_node.start_mark)
        found[key] = loader.construct_object(value_node, deep=True)
    return found


_Loader.add_constructor("tag:yaml.org,2002:map", _no_doubles)
# As JSON reads them: to YAML 1.1 22:00 would be a number, `no` false, and a date no text.
_Loader.yaml_implicit_resolvers = {}
for _tag, _pattern, _first in (
    ("bool", r"true|false", "tf"),
    ("null", r"null|~|", ["n", "~", ""]),
    ("int", r"-?(0|[1-9][0-9]*)", "-0123456789"),
    ("float", r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?", "-0123456789"),
    ("merge", r"<<", "<"),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(f"^(?:{_pattern})$"), list(_first))


def _value(file: Path, node: Any) -> Any:
    loader = _Loader("")
    try:
        return loader.construct_document(node)
    except yaml.YAMLError as error:
        raise InvalidInput(str(file), _in_words(error)) from None
    except RecursionError:
        raise InvalidInput(str(file), "is nested too deep") from None
    finally:
        loader.dispose()


def _in_words(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or "is no YAML"
    return f"line {mark.line + 1}: {problem}" if mark is not None else str(problem)


def _add(known: dict[str, _Entry], entry: _Entry) -> None:
    name = entry.fields["name"]
    if name in known:
        raise InvalidInput(entry.source, f"the job {name!r} is in {known[name].source} already")
    known[name] = entry


def _merged(old: Any, new: Any) -> Any:
    """JSON merge patch; a target or schedule of another kind replaces the old one."""
    if not isinstance(new, dict) or not isinstance(old, dict) or _other_kind(old, new):
        return new
    found = dict(old)
    for name, value in new.items():
        if value is None:
            found.pop(name, None)
        else:
            found[name] = _merged(found.get(name), value)
    return found


def _other_kind(old: Json, new: Json) -> bool:
    if "kind" in new and "kind" in old:
        return bool(new["kind"] != old["kind"])
    told = KINDS & new.keys()
    return bool(told) and bool(KINDS & old.keys()) and told != KINDS & old.keys()


def _declared(entry: _Entry) -> Declared:
    fields = {name: value for name, value in entry.fields.items() if name not in _STATE}
    enabled = entry.fields.get("enabled", True)
    if not isinstance(enabled, bool):
        raise InvalidInput(f"{entry.source}: enabled", "must be true or false")
    if entry.fields.get("notify"):
        raise InvalidInput(f"{entry.source}: notify", "must be empty for now")
    try:
        return Declared(JobSpec.model_validate(fields), enabled, entry.source)
    except ValidationError as error:
        field, message = readable(error.errors(include_url=False, include_input=False, include_context=False))[0]
        raise InvalidInput(f"{entry.source}: {field}", message) from None
