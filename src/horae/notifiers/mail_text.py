"""A message as mail: plain text, and HTML that reads well on a phone and in dark mode."""

from __future__ import annotations

import hashlib
from email import policy
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import format_datetime
from html import escape

from horae.domain.notify.delivery import Envelope, url_of
from horae.domain.notify.message import Line

POLICY = policy.SMTP.clone(cte_type="7bit")  # not every server accepts 8-bit mail
_COLOURS = {"critical": "#c62828", "warning": "#b45309", "info": "#1d4ed8"}
_GOOD = "#15803d"
_FONT = "font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"


def compose(envelope: Envelope, sender: str, to: tuple[str, ...]) -> EmailMessage:
    """Mails about one incident form one thread in the mailbox."""
    message, domain = envelope.message, sender.rpartition("@")[2]
    mail = EmailMessage(policy=POLICY)
    subject = f"[{message.project}] {message.title}" if message.project else message.title
    mail["Subject"] = " ".join(subject.split())[:250]
    user, _, host = sender.rpartition("@")
    mail["From"] = Address("Horae", user, host)
    mail["To"] = ", ".join(to)
    mail["Date"] = format_datetime(envelope.created_at)
    mail["Message-ID"] = f"<{envelope.id}@{domain}>"
    if len(message.lines) == 1:
        thread = hashlib.sha256(message.lines[0].key.encode()).hexdigest()[:32]
        mail["References"] = f"<{thread}@{domain}>"
    mail["Auto-Submitted"] = "auto-generated"  # no autoresponder should answer
    mail["X-Auto-Response-Suppress"] = "All"
    mail.set_content(plain(envelope))
    mail.add_alternative(html(envelope), subtype="html")
    return mail


def plain(envelope: Envelope) -> str:
    message = envelope.message
    parts = [message.title, ""] if len(message.lines) != 1 else []
    for line in message.lines:
        parts += [f"{_times(line)}", *([_indented(line.text)] if line.text else []), f"  {_facts(line)}"]
        if url := url_of(envelope.link, line.path):
            parts.append(f"  {url}")
        parts.append("")
    if message.more:
        parts += [f"and {message.more:,} more", ""]
    return "\n".join([*parts, "--", _footer(envelope), ""])


def html(envelope: Envelope) -> str:
    message = envelope.message
    rows = "".join(_row(line, envelope.link) for line in message.lines)
    more = f'<p style="margin:12px 0 0">and {message.more:,} more</p>' if message.more else ""
    heading = f'<h1 style="font-size:18px;margin:0 0 12px">{escape(message.title)}</h1>'
    return (
        '<!DOCTYPE html><html><head><meta charset="utf-8"><meta name="color-scheme" content="light dark">'
        f'</head><body style="margin:0;padding:24px 12px;{_FONT};font-size:14px;line-height:1.5">'
        f'<div style="max-width:600px;margin:0 auto">{heading if len(message.lines) != 1 else ""}{rows}{more}'
        f'<p style="margin:24px 0 0;font-size:12px;color:#6b7280">{escape(_footer(envelope))}</p></div></body></html>'
    )


def _row(line: Line, link: str | None) -> str:
    colour = _COLOURS.get(line.severity, _COLOURS["info"]) if line.opens else _GOOD
    url = url_of(link, line.path)
    button = (
        f'<p style="margin:10px 0 0"><a href="{escape(url, quote=True)}" style="color:{colour};font-weight:600">'
        "Open in Horae</a></p>"
        if url
        else ""
    )
    text = (
        '<pre style="margin:8px 0 0;padding:8px;background:#80808020;border-radius:4px;white-space:pre-wrap;'
        f'font-size:12px">{escape(line.text)}</pre>'
        if line.text
        else ""
    )
    return (
        f'<div style="border-left:4px solid {colour};padding:4px 0 4px 12px;margin:0 0 16px">'
        f'<div style="font-size:16px;font-weight:600">{escape(_times(line))}</div>'
        f'<div style="font-size:12px;color:#6b7280">{escape(_facts(line))}</div>{text}{button}</div>'
    )


def _times(line: Line) -> str:
    return line.title if line.count == 1 else f"{line.title} ({line.count} times)"


def _facts(line: Line) -> str:
    subject = " ".join(str(part) for part in (line.subject.get("kind"), line.subject.get("name")) if part)
    return " · ".join(filter(None, [line.severity if line.opens else "resolved", subject, _time(line.at)]))


def _time(at: str) -> str:
    """To the second, and legible: `2026-11-15 01:00:04 UTC`."""
    return f"{at[:19].replace('T', ' ')} UTC" if at.endswith("Z") else at


def _footer(envelope: Envelope) -> str:
    project = envelope.message.project
    where = f"project {project}" if project else "the installation"
    return f"Sent by Horae about {where} through the channel {envelope.channel}."


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())
