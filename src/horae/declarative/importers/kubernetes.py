"""Kubernetes CronJob manifests, as `kubectl get cronjobs -o yaml` writes them."""

from __future__ import annotations

from typing import Any

import yaml

from horae.declarative.importers import Imported, Json
from horae.domain.errors import InvalidInput

_OVERLAP = {"Allow": "allow", "Forbid": "skip", "Replace": "cancel_running"}
_MEMORY = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_PULL = {"Always": "always", "Never": "never", "IfNotPresent": "missing"}


def read(text: str) -> Imported:
    try:
        documents = [document for document in yaml.safe_load_all(text) if isinstance(document, dict)]
    except yaml.YAMLError as error:
        raise InvalidInput("source", f"is no YAML: {getattr(error, 'problem', error)}") from None
    imported = Imported()
    for document in documents:
        for manifest in document.get("items", [document]):
            if isinstance(manifest, dict) and manifest.get("kind") == "CronJob":
                _cron_job(imported, manifest)
            else:
                imported.notes.append(f"passed over: {(manifest or {}).get('kind', 'something')} is no CronJob")
    return imported


def _cron_job(imported: Imported, manifest: Json) -> None:
    about, spec = manifest.get("metadata", {}), manifest.get("spec", {})
    template = spec.get("jobTemplate", {}).get("spec", {})
    pod = template.get("template", {}).get("spec", {})
    containers = pod.get("containers") or [{}]
    notes = []
    if len(containers) > 1 or pod.get("initContainers"):
        notes.append("only its first container is taken over")
    if pod.get("volumes"):
        notes.append("its volumes are not taken over")
    fields: Json = {
        "name": about.get("name", "cronjob"),
        "target": _target(containers[0], notes),
        "schedule": {"cron": spec.get("schedule", ""), "timezone": spec.get("timeZone") or "UTC"},
        "overlap": _OVERLAP.get(spec.get("concurrencyPolicy", "Allow"), "allow"),
        "retry": {"max_attempts": min(int(template.get("backoffLimit", 6)) + 1, 100), "delay": 10, "max_delay": 360},
        "timeout": float(template.get("activeDeadlineSeconds") or pod.get("activeDeadlineSeconds") or 86_400),
    }
    if spec.get("startingDeadlineSeconds") is not None:
        fields["catch_up_window"] = int(spec["startingDeadlineSeconds"])
    imported.add(fields, enabled=not spec.get("suspend", False), notes=notes)


def _target(container: Json, notes: list[str]) -> Json:
    limits = container.get("resources", {}).get("limits", {})
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
    if container.get("envFrom"):
        notes.append("envFrom is not taken over")
    for entry in container.get("env") or ():
        source: Any = entry.get("valueFrom", {})
        if "value" in entry or not source:
            found[entry["name"]] = str(entry.get("value", ""))
        elif "secretKeyRef" in source:
            found[entry["name"]] = f"{{{{ secrets.{entry['name']} }}}}"
            notes.append(f"{entry['name']} came from a secret: make it with `horae secrets set {entry['name']}`")
        else:
            notes.append(f"{entry['name']} is not taken over: its value came from elsewhere")
    return found


def _bytes(text: str) -> int:
    for unit, size in _MEMORY.items():
        if text.endswith(unit):
            return int(float(text.removesuffix(unit)) * size)
    return int(float(text))
