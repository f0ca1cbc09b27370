"""The SDK's records, generated from the models of the API's answers, so that a field is declared once.

    tools/records.py            writes src/horae/sdk/records.py
    tools/records.py --check    fails if it is stale

A record is named after its view: `RunView` becomes `Run`. The OpenAPI document provides the fields; the models provide
the inheritance, which the document does not have.
"""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel

from horae.api.app import build
from horae.api.context import ApiSettings
from horae.clock import SystemClock, SystemIds
from horae.ports import Store

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "src" / "horae" / "sdk" / "records.py"
WIDTH = 120
NAMES = {  # where the usual name would be taken, or says too little
    "AuditView": "AuditEntry",
    "DeviceTokenView": "DevicePoll",
    "EnrolledView": "EnrolledTokens",
    "FunctionView": "FunctionInfo",
    "JobExplanationView": "Explanation",
    "LogLineView": "Piece",
    "NextView": "NextOccurrences",
    "SecondFactorView": "SecondFactorState",
}
NESTED = {"QuotaView"}  # part of another answer, and a record all the same
PLAIN = {  # which the SDK returns as dictionaries, or has no call for
    *("CalendarView", "CallbackView", "RecoveredView", "SignOutView", "SsoView", "StrandedView"),
    *("MonitoredDaysView", "MonitoredHoursView", "MonitoredJobsView", "MonitoredWorkersView"),
    *("MetricsView", "SeriesView"),
}
TYPES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "object": "Json", "null": "None"}
HEAD = '''"""The API's answers, for type checkers. Generated from its models by `make types`: do not edit."""

from __future__ import annotations

from typing import Any

from horae.sdk.record import Record

Json = dict[str, Any]
'''


class Records:
    """The text of the module, model by model."""

    def __init__(self) -> None:
        settings = ApiSettings("k" * 32)
        document = build(cast("Store", None), settings, SystemIds(), SystemClock()).openapi()
        self._schemas: dict[str, Any] = document["components"]["schemas"]
        self._models = {model.__name__: model for model in _subclasses(BaseModel) if model.__name__ in self._schemas}
        self._answers = {*_answers(document), *NESTED} - PLAIN

    def module(self) -> str:
        """A record comes after those that it extends, and else by name."""
        classes: dict[str, str] = {}
        for view in sorted(self._answers, key=_name):
            self._add(view, classes)
        return _formatted("\n\n".join([HEAD, *classes.values()]))

    def _add(self, view: str, classes: dict[str, str]) -> None:
        bases = [base.__name__ for base in self._models[view].__bases__ if base.__name__ in self._answers]
        for base in bases:
            self._add(base, classes)
        if view not in classes:
            classes[view] = "\n".join(self._class(view, bases))

    def _class(self, view: str, bases: list[str]) -> Iterator[str]:
        schema = self._schemas[view]
        inherited = {field for base in bases for field in self._schemas[base]["properties"]}
        own = {field: one for field, one in schema["properties"].items() if field not in inherited}
        # Dictionaries have methods of these names, which attributes cannot hide.
        taken = [field for field in own if field in dir(dict)]
        yield f"class {_name(view)}({', '.join(map(_name, bases)) or 'Record'}):"
        words = [schema.get("description", ""), *(f'`{one}` is read as an item: `record["{one}"]`.' for one in taken)]
        if any(words):
            yield from _docstring(" ".join(word for word in words if word))
        yield "    __slots__ = ()\n"
        for field, one in own.items():
            if field not in taken:
                yield from _field(field, self._type(one), one.get("description"))
        yield ""

    def _type(self, schema: dict[str, Any]) -> str:
        if name := _referred(schema):
            return _name(name) if name in NESTED else self._type(self._schemas[name])
        if options := schema.get("anyOf", schema.get("oneOf")):
            return " | ".join(dict.fromkeys(self._type(one) for one in options))
        if schema.get("type") == "array":
            return f"list[{self._type(schema.get('items', {}))}]"
        return TYPES.get(schema.get("type", ""), "Any")


def _answers(document: dict[str, Any]) -> Iterator[str]:
    """The names of what the API answers with; of a page of a list, that of its items."""
    schemas = document["components"]["schemas"]
    for operation in (one for methods in document["paths"].values() for one in methods.values()):
        for status, answer in operation["responses"].items():
            described = answer.get("content", {}).get("application/json", {}) if status.startswith("2") else {}
            for option in described.get("schema", {}).get("anyOf", [described.get("schema", {})]):
                if name := _referred(option):
                    fields = schemas[name]["properties"]
                    yield _referred(fields["items"]["items"]) if "next_cursor" in fields else name


def _referred(schema: dict[str, Any]) -> str:
    return str(schema.get("$ref", "")).rpartition("/")[2]


def _subclasses(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    for one in model.__subclasses__():
        yield one
        yield from _subclasses(one)


def _name(view: str) -> str:
    return NAMES.get(view, view.removesuffix("View"))


def _docstring(text: str) -> list[str]:
    text = _python(text)
    lines = textwrap.wrap(f'"""{text}"""', WIDTH - 4, break_long_words=False)
    return [*(f"    {line}" for line in lines), ""]


def _field(name: str, type_: str, description: str | None) -> Iterator[str]:
    line = f"    {name}: {type_}"
    words = _python(description or "")
    if words and len(line) + len(words) + 4 > WIDTH:
        yield from (f"    # {part}" for part in textwrap.wrap(words, WIDTH - 6))
        words = ""
    yield f"{line}  # {words}" if words else line


def _python(text: str) -> str:
    return re.sub(r"\bnull\b", "None", re.sub(r"\bNull\b", "None", " ".join(text.split())))


def _formatted(text: str) -> str:
    ruff = [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(TARGET), "-"]
    return subprocess.run(ruff, input=text, capture_output=True, text=True, check=True, cwd=ROOT).stdout


def main() -> int:
    text = Records().module()
    if "--check" not in sys.argv[1:]:
        TARGET.write_text(text)
    elif not TARGET.exists() or TARGET.read_text() != text:
        print(f"{TARGET.relative_to(ROOT)} is stale: run `make types` and commit it", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
