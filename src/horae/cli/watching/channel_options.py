"""Turns options into a channel, or into changes to one. Secrets are prompted for, since others could see an
argument."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from horae.cli.jobs.definition import given, seconds
from horae.cli.terminal import completing
from horae.domain.errors import InvalidInput

Json = dict[str, Any]
SECRETS = {  # the field to prompt for, by kind
    "webhook": "url",
    "slack": "url",
    "email": "password",
    "pagerduty": "routing_key",
    "opsgenie": "api_key",
    "apprise": "url",
}

Name = Annotated[str, typer.Argument(metavar="NAME", help="Its name or id.", autocompletion=completing.channels)]
Installation = Annotated[
    bool, typer.Option("--installation", help="Of the installation, not of the project; admins only.")
]
To = Annotated[list[str] | None, typer.Option("--to", help="email: a recipient; repeatable.")]
Sender = Annotated[str | None, typer.Option("--from", help="email: the sender, if not HORAE_MAIL_FROM.")]
Server = Annotated[str | None, typer.Option(help="email: HOST or HOST:PORT, if not HORAE_SMTP_URL.")]
Security = Annotated[
    str | None,
    typer.Option(help="email: starttls, tls or none.", autocompletion=completing.words("starttls", "tls", "none")),
]
Username = Annotated[str | None, typer.Option(help="email: user name on the server; prompts for the password.")]
ServiceUrl = Annotated[str | None, typer.Option("--service-url", help="pagerduty, opsgenie: another address.")]
SecretFile = Annotated[
    Path | None, typer.Option("--secret-file", metavar="FILE", help="Read the secret from a file; - is standard input.")
]
Events = Annotated[
    list[str] | None,
    typer.Option(
        "--event",
        help="failure, dead_letter, recovery, alert or budget; repeatable.",
        autocompletion=completing.words("failure", "dead_letter", "recovery", "alert", "budget"),
    ),
]
Severity = Annotated[
    str | None,
    typer.Option(
        help="Only this and above: info, warning, critical.",
        autocompletion=completing.words("info", "warning", "critical"),
    ),
]
Tags = Annotated[
    list[str] | None, typer.Option("--tag", help="Only of jobs with this tag.", autocompletion=completing.tags)
]
Jobs = Annotated[
    list[str] | None,
    typer.Option("--job", help="Only for this job; * matches any characters.", autocompletion=completing.jobs),
]
NamedOnly = Annotated[
    bool | None, typer.Option("--named-only/--not-named-only", help="Only of jobs that name it in `notify`.")
]
Quiet = Annotated[
    list[str] | None, typer.Option("--quiet", metavar="HH:MM-HH:MM", help="Messages wait until this is over.")
]
Timezone = Annotated[str | None, typer.Option(help="Of the quiet hours.")]
Digest = Annotated[str | None, typer.Option(help="Collect notices for this long; 0 sends each separately.")]
RepeatAfter = Annotated[str | None, typer.Option("--repeat-after", help="How long until the same is sent again.")]
PerHour = Annotated[int | None, typer.Option("--per-hour", help="More messages than this are collected.")]


@dataclass(frozen=True, slots=True)
class TargetOptions:
    to: list[str] | None
    sender: str | None
    server: str | None
    security: str | None
    username: str | None
    service_url: str | None

    def fields(self) -> Json:
        server = given({"security": self.security, "username": self.username})
        if self.server is not None:
            host, sign, port = self.server.rpartition(":") if ":" in self.server else (self.server, "", "")
            if sign and not port.isdecimal():
                raise InvalidInput("--server", "must be HOST or HOST:PORT")
            server |= {"host": host.strip("[]"), **({"port": int(port)} if sign else {})}
        return given({"to": self.to or None, "sender": self.sender, "server": server or None, "url": self.service_url})


@dataclass(frozen=True, slots=True)
class RuleOptions:
    events: list[str] | None
    severity: str | None
    tags: list[str] | None
    jobs: list[str] | None
    named_only: bool | None
    quiet: list[str] | None
    timezone: str | None
    digest: str | None
    repeat_after: str | None
    per_hour: int | None

    def fields(self) -> Json:
        return given(
            {
                "events": self.events or None,
                "severity": self.severity,
                "tags": self.tags or None,
                "jobs": self.jobs or None,
                "named_only": self.named_only,
                "quiet": self._quiet(),
                "digest": _whole("--digest", self.digest),
                "repeat_after": _whole("--repeat-after", self.repeat_after),
                "per_hour": self.per_hour,
            }
        )

    def _quiet(self) -> Json | None:
        windows = []
        for text in self.quiet or ():
            start, sign, end = text.partition("-")
            if not sign:
                raise InvalidInput("--quiet", "must be two times of day, such as 22:00-07:00")
            windows.append({"start": start.strip(), "end": end.strip()})
        return given({"windows": windows or None, "timezone": self.timezone}) or None


def _whole(option: str, text: str | None) -> int | None:
    found = seconds(option, text)
    return None if found is None else int(found)


def read_secret(kind: str, file: Path | None) -> str:
    what = SECRETS[kind].replace("_", " ")
    if file is not None:
        try:
            raw = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
            return raw.decode().strip()
        except (OSError, UnicodeDecodeError):
            raise InvalidInput("--secret-file", "cannot be read as text") from None
    if not sys.stdin.isatty():
        raise InvalidInput("", f"no terminal to ask for the {what}: use --secret-file")
    value: str = typer.prompt(f"The {what}", hide_input=True, err=True)
    return value
