"""Turns options into a job's definition, or into changes to one."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from horae.domain.errors import InvalidInput
from horae.domain.jobs.kinds import SCHEDULE_KINDS
from horae.domain.jobs.merge_patch import patch_definition
from horae.domain.time.durations import seconds_in

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Script:
    source: str | None
    file: Path | None
    interpreter: str | None


@dataclass(frozen=True, slots=True)
class Http:
    url: str | None
    method: str | None
    headers: list[str]
    body: str | None


@dataclass(frozen=True, slots=True)
class Python:
    """A function, or a task of Celery, which takes its arguments by name as well."""

    function: str | None
    args: list[str]
    arguments: str | None
    locked: list[str] = field(default_factory=list)
    task: str | None = None


@dataclass(frozen=True, slots=True)
class Definition:
    """What options say about a job; omitted ones are None. A pair is an option and its duration."""

    script: Script
    http: Http
    python: Python
    whole: str | None  # a target of any kind, as JSON
    when: Json
    timing: Json
    retry: Json
    rest: Json

    def fields(self) -> Json:
        """A new job's fields."""
        said = self._whole() or target(self.script, self.http, self.python)
        return {"target": said, **self._others(schedule(self.when, self.timing))}

    def changes(self) -> Json:
        """A merge patch for an existing job."""
        changed = self._whole() or target_changes(self.script, self.http, self.python)
        if "source" in changed and self.whole is None:
            changed["file"] = None  # replaced by the source
        return given({"target": changed or None, **self._others(schedule_changes(self.when, self.timing) or None)})

    def _whole(self) -> Json | None:
        found = json_value("--target", self.whole)
        if found is None:
            return None
        if not isinstance(found, dict):
            raise InvalidInput("--target", 'must be a JSON object, such as {"kind": "container", "image": "alpine"}')
        if target_changes(self.script, self.http, self.python):
            raise InvalidInput("--target", "defines the whole target and cannot be combined with these")
        return found

    def _others(self, schedule: Json | None) -> Json:
        return given({"schedule": schedule, "retry": _measured(self.retry) or None, **_measured(self.rest)})


def target(script: Script, http: Http, python: Python) -> Json:
    """The requested target."""
    if len(_chosen(script, http, python)) != 1:
        raise InvalidInput(
            "", "choose what to run: give exactly one of --script, --script-file, --http, --python, --celery, --target"
        )
    found = target_changes(script, http, python)
    if http.url is not None and http.method is None:  # like curl: without a body it is a GET
        found["method"] = "GET" if http.body is None else "POST"
    return found


def target_changes(script: Script, http: Http, python: Python) -> Json:
    """What options say about a target; options of another kind than the named one are refused rather than ignored."""
    named = _chosen(script, http, python)
    if len(named) > 1:
        given_twice = "choose what to run: give only one of --script, --script-file, --http, --python, --celery"
        raise InvalidInput("", given_twice)
    if named:
        _only_with(named[0], ("--script",), {"--interpreter": script.interpreter})
        _only_with(named[0], ("--http",), {"--method": http.method, "--header": http.headers, "--body": http.body})
        for_calls = {"--arg": python.args, "--arguments": python.arguments, "--lock": python.locked}
        _only_with(named[0], ("--python", "--celery"), for_calls)
    headers = dict(_pair("--header", text, ":") for text in http.headers) or None
    arguments = _arguments(python) if python.function or python.args or python.arguments else None
    fields = given(
        {
            "source": script.source if script.file is None else _read(script.file),
            "interpreter": script.interpreter,
            "url": http.url,
            "method": http.method,
            "headers": headers,
            "body": http.body,
            "function": python.function,
            "task": python.task,
            "kwargs" if python.task else "arguments": arguments,
            "locked": python.locked or None,
        }
    )
    kinds = {"--http": "http", "--python": "python", "--celery": "celery"}
    return {"kind": kinds.get(named[0], "script"), **fields} if named else fields


def _chosen(script: Script, http: Http, python: Python) -> list[str]:
    chosen = {
        "--script": script.source,
        "--script-file": script.file,
        "--http": http.url,
        "--python": python.function,
        "--celery": python.task,
    }
    return [option for option, value in chosen.items() if value is not None]


def _only_with(kind: str, needed: tuple[str, ...], options: Json) -> None:
    for option, value in options.items():
        if value and not kind.startswith(needed):
            raise InvalidInput(option, f"goes with {' or '.join(needed)} only")


def _arguments(python: Python) -> Json:
    found = json_value("--arguments", python.arguments) or {}
    if not isinstance(found, dict):
        raise InvalidInput("--arguments", 'must be a JSON object, such as {"customer": 7}')
    for text in python.args:
        name, value = _pair("--arg", text, "=")
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found


def schedule(when: Json, timing: Json) -> Json | None:
    """A new job's schedule; None: it is only triggered."""
    found = schedule_changes(when, timing)
    kinds = [kind for kind in SCHEDULE_KINDS if kind in found]
    if kinds == ["after"] and "job" not in found["after"]:
        raise InvalidInput("--on", "goes with --after only")
    for name in found:
        if name not in SCHEDULE_KINDS and kinds in ([], ["after"], ["manual"]):
            raise InvalidInput(_option(name), "goes with --cron, --every or --at only")
    return found or None


def schedule_changes(when: Json, timing: Json) -> Json:
    kinds = given({**when, "after": given(when.get("after") or {}) or None})
    if len(kinds) > 1:
        raise InvalidInput(
            "", f"choose when to run: give at most one of {', '.join(f'--{kind}' for kind in SCHEDULE_KINDS)}"
        )
    if str(kinds.get("every", "")).isdecimal():
        kinds["every"] = int(kinds["every"])  # seconds, as in the other options
    timed = _measured(timing)
    if "blackouts" in timed:
        timed["blackouts"] = [json_value("--blackout", text) for text in timed["blackouts"]]
    return {**kinds, **timed}


def merged(old: Json, changes: Json | None) -> Json:
    """A schedule as the server will store it, to show it before it is saved."""
    if changes is None:
        return {"manual": True}
    return given(patch_definition({"schedule": old}, {"schedule": changes})["schedule"])


def unset(changes: Json, paths: list[str]) -> Json:
    """Adds to changes that these fields return to their defaults: `schedule.end_at`."""
    for path in paths:
        *parents, last = path.split(".")
        place = changes
        for parent in parents:
            place = place.setdefault(parent, {})
            if not isinstance(place, dict):
                raise InvalidInput("--unset", f"{path}: there is nothing below {parent}")
        if last in place or not last:
            raise InvalidInput("--unset", f"{path}: also has a value")
        place[last] = None
    return changes


def given(fields: Json) -> Json:
    """What was given; the server knows the defaults of the rest."""
    return {name: value for name, value in fields.items() if value is not None}


def _measured(fields: Json) -> Json:
    """Likewise, with durations in seconds."""
    return given({name: seconds(*value) if isinstance(value, tuple) else value for name, value in fields.items()})


def seconds(option: str, text: str | None) -> float | None:
    if text is None:
        return None
    try:
        return seconds_in(text)
    except ValueError as error:
        raise InvalidInput(option, str(error)) from None


_INPUT = '{"customer": 7}'
_EXAMPLES = {
    "--alert": '{"failing": 2}',
    "--target": '{"kind": "container", "image": "alpine"}',
    "--blackout": '{"days": ["SUN"], "start": "22:00", "end": "06:00"}',
}


def json_value(option: str, text: str | None) -> Any:
    if text is None:
        return None
    try:
        return json.loads(text)
    except ValueError:
        raise InvalidInput(option, f"must be JSON, such as '{_EXAMPLES.get(option, _INPUT)}'") from None


def _option(field: str) -> str:
    return "--blackout" if field == "blackouts" else f"--{field.replace('_', '-')}"


def _pair(option: str, text: str, sign: str) -> tuple[str, str]:
    name, found, value = text.partition(sign)
    if not found or not name.strip():
        raise InvalidInput(option, f"must be a name, {sign!r} and a value")
    return name.strip(), value.strip()


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InvalidInput("--script-file", f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InvalidInput("--script-file", f"{path} is not UTF-8 text") from None
