"""crontab files: a user's (`crontab -l`), or the system's with a user in the sixth field."""

from __future__ import annotations

import re

from horae.declarative.importers import Imported, Json, slug

_SETTING = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*$")
_IGNORED = {"MAILTO": "mail of its output", "HOME": "HOME", "LOGNAME": "LOGNAME"}
_ZONES = ("CRON_TZ", "TZ")
_NO_ZONE = "cron used the machine's time zone; jobs without a timezone use UTC: add one"
_BEFORE = re.compile(r"^\s*(?:[A-Za-z_]\w*=\S*\s+)*(?:cd\s+\S+\s*(?:&&|;)\s*)?")
_RUNNERS = frozenset(("php", "python", "python3", "perl", "ruby", "node", "java", "bash", "sh", "env", "sudo", "nice"))
_RUNNERS |= {"ionice", "flock", "timeout", "test", "run-parts", "docker"}


def read(text: str, *, system: bool = False) -> Imported:
    found = Imported()
    settings: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        setting = _SETTING.match(line)
        if setting and not line.startswith("@"):
            settings[setting[1]] = setting[2].strip("'\"")
            if setting[1] in _IGNORED:
                found.notes.append(f"line {number}: {_IGNORED[setting[1]]} is not imported")
            continue
        _entry(found, number, line, settings, system)
    return found


def _entry(found: Imported, number: int, line: str, settings: dict[str, str], system: bool) -> None:
    fields = 1 if line.startswith("@") else 5
    parts = line.split(None, fields + system)
    if len(parts) <= fields + system:
        found.notes.append(f"line {number}: left out: it has too few fields")
        return
    when, command = " ".join(parts[:fields]), parts[-1]
    if when == "@reboot":
        found.notes.append(f"line {number}: left out: @reboot has no time; start it with the machine")
        return
    command, stdin = _split(command)
    notes = [f"line {number}: ran as {parts[fields]}; workers run it as their own user"] if system else []
    if stdin is not None:
        command = f"{command} <<'HORAE_INPUT'\n{stdin}\nHORAE_INPUT\n"
    if command.split()[0] == "root" and not system:
        notes.append(f"line {number}: begins with root: if this is a system crontab, use --system")
    zone = next((settings[name] for name in _ZONES if name in settings), None)
    if zone is None and _NO_ZONE not in found.notes:
        found.notes.append(_NO_ZONE)
    schedule: Json = {"cron": when, **({"timezone": zone} if zone else {})}
    target: Json = {"kind": "script", "source": command, "interpreter": _shell(settings)}
    env = {name: value for name, value in settings.items() if name not in {*_IGNORED, *_ZONES, "SHELL"}}
    job: Json = {"name": _name(command), "target": {**target, "env": env}, "schedule": schedule}
    found.add(job, notes=notes, place=f"line {number}: ")


def _name(command: str) -> str:
    """The program, with its first argument if that says more, as in `php artisan`."""
    bare = _BEFORE.sub("", command.split("\n")[0])
    words = [word.rsplit("/", 1)[-1] for word in bare.split() if word[0] not in "-{(&|<>[" and "=" not in word]
    words = [word for word in words if any(c.isalnum() for c in word)] or ["job"]
    return slug("-".join(words[:2]) if words[0] in _RUNNERS else words[0])


def _split(command: str) -> tuple[str, str | None]:
    """Cron's own rule: the first bare % ends the command, the others are line breaks of its standard input."""
    pieces = re.split(r"(?<!\\)%", command)
    pieces = [piece.replace("\\%", "%") for piece in pieces]
    return pieces[0], "\n".join(pieces[1:]) if len(pieces) > 1 else None


def _shell(settings: dict[str, str]) -> str:
    shell = settings.get("SHELL", "/bin/sh")
    short = shell.rsplit("/", 1)[-1]
    return short if short in ("bash", "sh") else shell
