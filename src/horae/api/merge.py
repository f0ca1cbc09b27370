"""Editing a job through PUT and PATCH: what happens to read-only fields and to fields this version does not know."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from horae.api.body import validate
from horae.api.schemas import STATE, ListedJobView
from horae.domain.jobs.job import JobSpec
from horae.domain.jobs.merge_patch import patch_definition
from horae.domain.jobs.stored import read_spec, spec_fields, unknown_fields
from horae.lifecycle.find import unreadable_job

READ_ONLY = frozenset(ListedJobView.model_fields) - frozenset(JobSpec.model_fields) - STATE


def without_read_only(given: dict[str, Any]) -> dict[str, Any]:
    """For PUT: clients send back what they read, with some changes."""
    return {name: value for name, value in given.items() if name not in READ_ONLY}


def patched(spec: JobSpec, patch: Mapping[str, Any]) -> JobSpec:
    """Stored fields that this version does not know stay, unless the patch sets them to null; fields in the patch must
    be known."""
    if spec.fault:
        raise unreadable_job(spec.fault)
    new = validate(JobSpec, _patched(spec.to_json(), patch))
    if any(unknown_fields(spec)):
        return read_spec(json.dumps(_patched(spec_fields(spec), patch)))
    return new


def _patched(current: dict[str, Any], patch: Mapping[str, Any]) -> dict[str, Any]:
    changes = {name: value for name, value in patch.items() if name not in STATE}
    if "manual" in current["schedule"] and current["max_instances"] is None:
        # No limit was the default for manual runs; scheduled runs have another.
        del current["max_instances"]
    return patch_definition(current, changes)
