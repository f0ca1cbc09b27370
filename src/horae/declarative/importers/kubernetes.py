"""Kubernetes CronJob manifests, as `kubectl get cronjobs -o yaml` writes them. Fields that Horae does not support are
listed in a note; only those that Kubernetes itself adds are ignored."""

from __future__ import annotations

import re
from typing import Any

from horae.declarative import reading
from horae.declarative.importers import Imported, Json
from horae.domain.errors import InvalidInput

_OVERLAP = {"Allow": "allow", "Forbid": "skip", "Replace": "cancel_running"}
_MEMORY = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_PULL = {"Always": "always", "Never": "never", "IfNotPresent": "missing"}
_ZONE = re.compile(r"(?:CRON_TZ|TZ)=(\S+)\s+(.*)")
# The fields that are read below, and those that mean nothing outside Kubernetes.
_SPEC = {"schedule", "timeZone", "concurrencyPolicy", "startingDeadlineSeconds", "suspend", "jobTemplate"}
_SPEC |= {"successfulJobsHistoryLimit", "failedJobsHistoryLimit"}
_JOB = {"backoffLimit", "activeDeadlineSeconds", "template", "ttlSecondsAfterFinished"}
_POD = {"containers", "activeDeadlineSeconds", "restartPolicy", "dnsPolicy", "schedulerName"}
_POD |= {"terminationGracePeriodSeconds", "enableServiceLinks"}
_CONTAINER = {"name", "image", "command", "args", "env", "workingDir", "resources", "imagePullPolicy"}
_CONTAINER |= {"terminationMessagePath", "terminationMessagePolicy"}


def read(text: str) -> Imported:
    documents = [reading.value(node, "source") for node in reading.documents(text, "source")]
    manifests = [one for document in documents if isinstance(document, dict) for one in _items(document)]
    if not manifests:
        raise InvalidInput("source", "holds no manifest")
    imported = Imported()
    for manifest in manifests:
        if not isinstance(manifest, dict) or manifest.get("kind") != "CronJob":
            kind = manifest.get("kind", "something") if isinstance(manifest, dict) else "something"
            imported.notes.append(f"skipped: {kind} is not a CronJob")
            continue
        name = str(_object(manifest.get("metadata")).get("name") or "cronjob")
        try:
            _cron_job(imported, name, manifest)
        except (TypeError, ValueError, AttributeError, KeyError):
            imported.notes.append(f"{name}: left out: it is not a valid CronJob")
    return imported


def _items(document: Json) -> list[Any]:
    items = document.get("items")
    return items if isinstance(items, list) else [document]


def _object(value: Any) -> Json:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise TypeError
    return value


def _cron_job(imported: Imported, name: str, manifest: Json) -> None:
    spec = _object(manifest.get("spec"))
    job = _object(_object(spec.get("jobTemplate")).get("spec"))
    pod = _object(_object(job.get("template")).get("spec"))
    containers = pod.get("containers") or []
    if not containers:
        imported.notes.append(f"{name}: left out: it has no container")
        return
    notes = _unsaid((spec, _SPEC), (job, _JOB), (pod, _POD), (containers[0], _CONTAINER))
    if len(containers) > 1:
        notes.append(f"only its first container is imported, not {', '.join(_names(containers[1:]))}")
    fields: Json = {
        "name": name,
        "target": _target(containers[0], notes),
        "schedule": _schedule(str(spec.get("schedule", "")), spec.get("timeZone")),
        "overlap": _OVERLAP.get(spec.get("concurrencyPolicy", "Allow"), "allow"),
        "retry": {"max_attempts": min(int(job.get("backoffLimit", 6)) + 1, 100), "delay": 10, "max_delay": 360},
        "timeout": float(job.get("activeDeadlineSeconds") or pod.get("activeDeadlineSeconds") or 86_400),
    }
    if spec.get("startingDeadlineSeconds") is not None:
        fields["catch_up_window"] = int(spec["startingDeadlineSeconds"])
    imported.add(fields, enabled=not spec.get("suspend", False), notes=notes)


def _unsaid(*parts: tuple[Json, set[str]]) -> list[str]:
    """The fields that nothing here reads and that have a meaning."""
    found = [name for part, known in parts for name, value in part.items() if name not in known and value]
    return [f"not imported: {', '.join(found)}"] if found else []


def _names(containers: list[Json]) -> list[str]:
    return [str(container.get("name", "one without a name")) for container in containers]


def _schedule(text: str, zone: str | None) -> Json:
    if found := _ZONE.fullmatch(text):
        zone, text = zone or found[1], found[2]
    if text.startswith("@every "):
        return {"every": text.removeprefix("@every ")}
    return {"cron": text, "timezone": zone or "UTC"}


def _target(container: Json, notes: list[str]) -> Json:
    limits = _object(_object(container.get("resources")).get("limits"))
    target: Json = {
        "kind": "container",
        "image": container.get("image", ""),
        "command": [str(part) for part in container.get("args") or ()],
        "env": _environment(container, notes),
        "pull": _PULL.get(container.get("imagePullPolicy", ""), "missing"),
        "limits": {},
    }
    if container.get("command"):
        target["entrypoint"] = [str(part) for part in container["command"]]
    said = " ".join((*target["command"], *target.get("entrypoint", ())))
    if replaced := [name for name in target["env"] if f"$({name})" in said]:
        notes.append(f"$({replaced[0]}) in its command was replaced by Kubernetes: write ${replaced[0]} in a shell")
    if container.get("workingDir"):
        target["cwd"] = container["workingDir"]
    if limits.get("memory") is not None:
        target["limits"]["memory"] = _bytes(str(limits["memory"]))
    if limits.get("cpu") is not None:
        cpu = str(limits["cpu"])
        target["limits"]["cpus"] = float(cpu[:-1]) / 1000 if cpu.endswith("m") else float(cpu)
    return target


def _environment(container: Json, notes: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for entry in container.get("env") or ():
        source: Any = entry.get("valueFrom") or {}
        if "value" in entry or not source:
            found[entry["name"]] = str(entry.get("value", ""))
        elif "secretKeyRef" in source:
            found[entry["name"]] = f"{{{{ secrets.{entry['name']} }}}}"
            notes.append(f"{entry['name']} came from a secret: create it with `horae secrets set {entry['name']}`")
        else:
            notes.append(f"{entry['name']} is not imported: its value came from elsewhere ({', '.join(source)})")
    return found


def _bytes(text: str) -> int:
    for unit, size in _MEMORY.items():
        if text.endswith(unit):
            return int(float(text.removesuffix(unit)) * size)
    return int(float(text))
