"""The page that a soak leaves behind, and what it prints."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from html import escape
from pathlib import Path

from tests.soak.plots import plot
from tests.soak.series import Recording
from tests.soak.verdict import Finding

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 900px; margin: 2rem auto; padding: 0 1rem; color: #1f2937 }
h1 { font-size: 1.4rem } h2 { font-size: 1.05rem; margin: 2rem 0 .3rem }
table { border-collapse: collapse } td, th { text-align: left; padding: .2rem .8rem .2rem 0; vertical-align: top }
.bad { color: #b91c1c; font-weight: 600 } .ok { color: #047857 }
svg { width: 100%; height: auto; background: #fafafa } svg text { font-size: 11px; fill: #6b7280 }
polyline { fill: none; stroke-width: 1.4 } .grid { stroke: #e5e7eb } .mark { stroke: #f87171; stroke-opacity: .5 }
.legend { margin: .2rem 0; font-size: .85rem; color: #6b7280 } .legend span { margin-left: 1rem; white-space: nowrap }
.legend i { display: inline-block; width: .7rem; height: .7rem; margin-right: .3rem; border-radius: 2px }
"""


def write(folder: Path, title: str, recording: Recording, findings: Sequence[Finding], seconds: float) -> Path:
    """The page and the numbers behind it; the page's path."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "samples.json").write_text(json.dumps(asdict(recording)))
    page = folder / "report.html"
    page.write_text(_page(title, recording, findings, seconds), encoding="utf-8")
    (folder / "report.md").write_text(f"# {title}\n\n{table(findings)}\n", encoding="utf-8")
    return page


def table(findings: Sequence[Finding]) -> str:
    rows = [f"| {f.name} | {f.seen} | {f.bound} | {'ok' if f.ok else 'BAD'} |" for f in findings]
    return "\n".join(["| | seen | may be | |", "|---|---|---|---|", *rows])


def _page(title: str, recording: Recording, findings: Sequence[Finding], seconds: float) -> str:
    rows = "".join(
        f"<tr><td>{escape(f.name)}</td><td>{escape(f.seen)}</td><td>{escape(f.bound)}</td>"
        f'<td class="{"ok" if f.ok else "bad"}">{"ok" if f.ok else "BAD"}</td></tr>'
        for f in findings
    )
    plots = "".join(
        f"<h2>{escape(name)}</h2>{plot(recording.series(name), recording.units[name], recording.marks, seconds)}"
        for name in recording.plots
    )
    done = "".join(f"<tr><td>{mark.at:.0f} s</td><td>{escape(mark.what)}</td></tr>" for mark in recording.marks)
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(title)}</title><style>{STYLE}</style>'
        f"<h1>{escape(title)}</h1><table><tr><th></th><th>seen</th><th>may be</th><th></th></tr>{rows}</table>"
        f"{plots}<h2>What was done to it</h2><table>{done}</table></html>\n"
    )
