"""Stands in for a mail server that greylists: the first attempt to reach an address at grey.example is deferred. What
it sent is in `outbox.txt`."""

from pathlib import Path

OUTBOX = Path(__file__).resolve().parents[1] / "outbox.txt"


class Deferred(Exception):
    """Try again later."""


def send(address: str, subject: str) -> str:
    line = f"{address}: {subject}"
    if address.endswith("@grey.example") and f"deferred {line}\n" not in outbox():
        _write(f"deferred {line}")
        raise Deferred(f"{address} is greylisted: try again later")
    _write(f"sent {line}")
    return line


def outbox() -> str:
    return OUTBOX.read_text() if OUTBOX.exists() else ""


def _write(line: str) -> None:
    with OUTBOX.open("a") as file:
        file.write(f"{line}\n")
