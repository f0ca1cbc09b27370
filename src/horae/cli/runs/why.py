"""`horae why`: one sentence, then every gate, then the fix."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import typer

from horae.cli.connection import connect
from horae.cli.terminal import completing
from horae.cli.terminal.printing import AsJson, console, plain, print_json, took

Json = dict[str, Any]

_MARKS = {  # in the order of interest, after the cause
    "problem": ("✖", "bold red"),
    "warning": ("?", "yellow"),
    "intended": ("–", "yellow"),
    "waiting": ("…", "cyan"),
    "ok": ("✔", "green"),
    "info": ("·", "bright_black"),
}
_ORDER = list(_MARKS)
_TROUBLE = ("problem", "warning")


def register(app: typer.Typer) -> None:
    app.command("why")(why)


def why(
    id_: Annotated[
        str, typer.Argument(metavar="ID", help="A job's name or id, or a run's id.", autocompletion=completing.jobs)
    ],
    as_json: AsJson = False,
) -> None:
    """Explain why a job or a run does, did or does not run."""
    with connect() as client:
        found = client.explain(id_)
    if as_json:
        print_json(found)
        return
    checks = sorted(found["gates"], key=lambda gate: (gate["name"] != found["cause"], _ORDER.index(gate["level"])))
    console().print(plain(found["summary"]), style="bold")
    console().print("\nChecks")
    _checks(checks)
    if found.get("timeline"):
        console().print("\nTimeline")
        _timeline(found["timeline"])
    _help([gate for gate in checks if gate["level"] in _TROUBLE], "Fix")
    _help([gate for gate in checks if gate["level"] not in _TROUBLE], "Options")


def _checks(gates: list[Json]) -> None:
    rows = []
    for gate in gates:
        mark, style = _MARKS[gate["level"]]
        rows.append((_styled(mark, style), _styled(gate["name"], style), plain(gate["detail"])))
    _grid(rows)


def _timeline(entries: list[Json]) -> None:
    rows = []
    for entry in entries:
        waited = f"after {took(entry['waited_ms'])}" if entry["waited_for"] else ""
        if waited and entry["event"] not in ("now", "attempt"):  # what it waits for now is shown above
            waited += f", waiting for {entry['waited_for']}"
        at = datetime.fromisoformat(entry["at"])
        when = _styled(f"{at:%Y-%m-%d %H:%M:%S}.{at.microsecond // 1000:03}Z", "bright_black")
        rows.append((when, _styled(entry["event"], "bold"), plain(entry["detail"]), _styled(waited, "bright_black")))
    _grid(rows)


def _help(gates: list[Json], title: str) -> None:
    wanted = [gate for gate in gates if gate["unblock"]]
    if wanted:
        console().print(f"\n{title}")
        _grid([("→", _styled(gate["name"], _MARKS[gate["level"]][1]), plain(gate["unblock"])) for gate in wanted])


def _styled(text: str, style: str) -> Any:
    made = plain(text)
    made.stylize(style)
    return made


def _grid(rows: list[tuple[Any, ...]]) -> None:
    from rich.table import Table

    made = Table.grid(padding=(0, 2, 0, 0))
    for number in range(len(rows[0])):
        made.add_column(no_wrap=number < 2, overflow="fold")
    for row in rows:
        made.add_row(*row)
    console().print(made)
