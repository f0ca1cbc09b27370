"""`slack`: an incoming webhook of Slack, and of compatible services."""

from __future__ import annotations

from typing import Any

from horae.domain.notify.delivery import Envelope, Sent, url_of
from horae.domain.notify.message import Line
from horae.notifiers.defused import defused
from horae.notifiers.posting import Poster

_COLOURS = {"critical": "#c62828", "warning": "#ef6c00", "info": "#1565c0"}
_GOOD = "#2e7d32"
_SHOWN = 20  # lines; Slack truncates longer ones
_TEXT = 500


async def send(poster: Poster, envelope: Envelope) -> Sent:
    return await poster.post(envelope.secrets["url"], payload(envelope))


def payload(envelope: Envelope) -> dict[str, Any]:
    message = envelope.message
    where = f" · {_escaped(message.project)}" if message.project else ""
    lines = message.lines[:_SHOWN]
    attachments = [_attachment(line, envelope.link) for line in lines]
    left = message.more + sum(line.count for line in message.lines[_SHOWN:])
    if left:
        attachments.append({"color": _COLOURS["info"], "text": f"and {left:,} more", "fallback": f"and {left:,} more"})
    return {"text": f"*{_escaped(message.title)}*{where}", "attachments": attachments}


def _attachment(line: Line, link: str | None) -> dict[str, Any]:
    url = url_of(link, line.path)
    times = f" ({line.count} times)" if line.count > 1 else ""
    title = f"{line.title}{times}"
    return {
        "color": _COLOURS.get(line.severity, _COLOURS["info"]) if line.opens else _GOOD,
        "fallback": _escaped(title),
        "title": _escaped(title),
        **({"title_link": url} if url else {}),
        **({"text": _escaped(line.text[:_TEXT])} if line.text else {}),
        "footer": "Horae",
    }


def _escaped(text: str) -> str:
    """As Slack requires; compatible services also recognise Markdown and a plain `@channel`."""
    return defused(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
