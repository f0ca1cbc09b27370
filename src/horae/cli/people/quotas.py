"""`horae projects quota`: a project's limits and usage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from horae.cli.connection import connect
from horae.cli.terminal import completing
from horae.cli.terminal.printing import AsJson, ago, print_json, table
from horae.cli.terminal.suggesting import named
from horae.clock import SystemClock
from horae.config.kinds import size
from horae.domain.errors import InvalidInput
from horae.domain.people.quota import MOST, WARN_AT

if TYPE_CHECKING:
    from horae.sdk.quotas import Limits, Quota, Quotas

NONE = "none"


def _option(name: str, what: str) -> Any:
    return typer.Option(name, metavar="N", help=f"{what}; `{NONE}` for no limit.")


def register(app: typer.Typer) -> None:
    app.command("quota")(quota)


def quota(
    project: Annotated[
        str, typer.Argument(metavar="PROJECT", help="A project's slug or id.", autocompletion=completing.projects)
    ],
    jobs: Annotated[str | None, _option("--jobs", "Jobs")] = None,
    live_runs: Annotated[str | None, _option("--live-runs", "Runs that have not ended")] = None,
    fires_per_minute: Annotated[str | None, _option("--fires-per-minute", "Occurrences of all schedules")] = None,
    log_bytes_per_day: Annotated[
        str | None, _option("--log-bytes-per-day", "What runs may log in a day, such as 1GiB")
    ] = None,
    secrets: Annotated[str | None, _option("--secrets", "Secrets")] = None,
    api_keys: Annotated[str | None, _option("--api-keys", "API keys")] = None,
    as_json: AsJson = False,
) -> None:
    """Show a project's limits and usage, or set limits (admins only).

    horae projects quota billing · horae projects quota billing --jobs 100 --live-runs none
    """
    given = {
        "jobs": jobs,
        "live_runs": live_runs,
        "fires_per_minute": fires_per_minute,
        "log_bytes_per_day": log_bytes_per_day,
        "secrets": secrets,
        "api_keys": api_keys,
    }
    limits = cast("Limits", {name: _limit(name, text) for name, text in given.items() if text is not None})
    with connect() as client, named("project", project, client.projects.list, "slug"):
        found = client.projects.set_quotas(project, **limits) if limits else client.projects.quotas(project)
    if as_json:
        print_json(found)
    else:
        _show(found)


def _limit(name: str, text: str) -> int | None:
    if text.strip().lower() == NONE:
        return None
    try:
        return size(0, MOST)(text)
    except ValueError:
        raise InvalidInput(f"--{name.replace('_', '-')}", f"must be a whole number, or `{NONE}`") from None


def _show(found: Quotas) -> None:
    now = SystemClock().now()
    table(
        ("quota", "used", "limit", "", "last refused"),
        ((name, *_row(one), ago(one["refused_at"], now)) for name, one in found.items()),
        "",
    )


def _row(one: Quota) -> tuple[str, str, str]:
    used, limit = one["used"], one["limit"]
    said = "–" if used is None else f"{used:,}"
    if limit is None:
        return said, "none", ""
    share = (used or 0) / limit if limit else 1.0
    return said, f"{limit:,}", f"{share:.0%}" + (" !" if share >= WARN_AT else "")
