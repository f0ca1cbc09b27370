"""From options to a job's definition, and from a definition to words."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from horae.domain.errors import InvalidInput
from horae.setting import parse_duration

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
    function: str | None
    args: list[str]
    arguments: str | None


def target(script: Script, http: Http, python: Python) -> Json:
    """The one target that was asked for; options of another kind are refused rather than ignored."""
    chosen = {
        "--script": script.source,
        "--script-file": script.file,
        "--http": http.url,
        "--python": python.function,
    }
    named = [option for option, value in chosen.items() if value is not None]
    if len(named) != 1:
        raise InvalidInput("", "say what to run: exactly one of --script, --script-file, --http, --python")
    kind = named[0]
    _only_with(kind, "--script", {"--interpreter": script.interpreter})
    _only_with(kind, "--http", {"--method": http.method, "--header": http.headers, "--body": http.body})
    _only_with(kind, "--python", {"--arg": python.args, "--arguments": python.arguments})
    if kind == "--http":
        headers = dict(_pair("--header", text, ":") for text in http.headers)
        return {
            "kind": "http",
            "url": http.url,
            **given({"method": http.method, "body": http.body, "headers": headers}),
        }
    if kind == "--python":
        return {"kind": "python", "function": python.function, "arguments": _arguments(python)}
    source = script.source if script.file is None else _read(script.file)
    return {"kind": "script", "source": source, **given({"interpreter": script.interpreter})}


def _only_with(kind: str, needed: str, options: Json) -> None:
    for option, value in options.items():
        if value and not kind.startswith(needed):
            raise InvalidInput(option, f"goes with {needed} only")


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


def schedule(*, cron: str | None, timezone: str | None, every: str | None, at: str | None) -> Json | None:
    kinds = given({"cron": cron, "every": every, "at": at})
    if len(kinds) > 1:
        raise InvalidInput("", "say when to run: at most one of --cron, --every, --at")
    if timezone is not None and cron is None:
        raise InvalidInput("--timezone", "goes with --cron only")
    return {**kinds, **given({"timezone": timezone})} or None


def given(fields: Json) -> Json:
    """What was asked for; the server knows the defaults of the rest."""
    return {name: value for name, value in fields.items() if value is not None}


def seconds(option: str, text: str | None) -> float | None:
    if text is None:
        return None
    try:
        return parse_duration(text)
    except ValueError as error:
        raise InvalidInput(option, str(error)) from None


def json_value(option: str, text: str | None) -> Any:
    if text is None:
        return None
    try:
        return json.loads(text)
    except ValueError:
        raise InvalidInput(option, """must be JSON, such as '{"customer": 7}'""") from None


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


def schedule_words(schedule: Json) -> str:
    """A schedule in a table's cell."""
    schedule = {name: _flat(value) if name in ("cron", "every") else value for name, value in schedule.items()}
    if schedule.get("cron") is not None:
        zone = schedule.get("timezone") or "UTC"
        return f"{schedule['cron']}" + (f" ({zone})" if zone != "UTC" else "")
    if schedule.get("every") is not None:
        every = schedule["every"]
        return f"every {every}" + ("s" if isinstance(every, int | float) else "")
    if schedule.get("at") is not None:
        return f"at {schedule['at']}"
    if schedule.get("after") is not None:
        return f"after {schedule['after'].get('job')} ({schedule['after'].get('on')})"
    return "manual"


def _flat(value: Any) -> Any:
    """Cron fields and intervals may also be written as objects."""
    return " ".join(f"{name}={part}" for name, part in value.items()) if isinstance(value, dict) else value


def shown(target: Json) -> str:
    """A target as one line or, for a script, as its source."""
    kind = target["kind"]
    if kind == "http":
        return f"http {target.get('method')} {target.get('url')}"
    if kind == "script":
        return f"script ({target.get('interpreter')})\n{target.get('source') or target.get('file')}".rstrip()
    if kind == "python":
        return f"python {target.get('function')} {json.dumps(target.get('arguments'), ensure_ascii=False)}"
    return json.dumps(target, ensure_ascii=False)
