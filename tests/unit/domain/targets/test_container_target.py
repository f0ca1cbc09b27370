"""Definitions of containers and archives, and what is said about wrong ones."""

from __future__ import annotations

from typing import Any

import pytest

from horae.domain.targets import ArtifactTarget, ContainerTarget
from tests.unit.domain.refused import refused

DIGEST = f"sha256:{'0' * 64}"
MOUNT = {"source": "/srv", "target": "/data"}


@pytest.mark.parametrize(
    "image", ["alpine", "alpine:3.20", "registry.example.com:5000/team/tool:1.2", f"a/b@{DIGEST}", f"a:1@{DIGEST}"]
)
def test_names_of_images(image):
    assert ContainerTarget(image=image).image == image


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"image": ""}, "image"),
        ({"image": "a b"}, "image"),
        ({"image": "a//b"}, "image"),
        ({"image": "a/"}, "image"),
        ({"image": "x/../../containers/0123"}, "image"),
        ({"image": "a/./b"}, "image"),
        ({"image": "a/.."}, "image"),
        ({"image": "a:"}, "image"),
        ({"image": "-v"}, "image"),
        ({"image": "a@sha256:0"}, "image"),
        ({"entrypoint": []}, "entrypoint"),
        ({"command": ["a\0b"]}, "command.0"),
        ({"env": {"A": "{{ secret }}"}}, "env.A"),
        ({"env": {"A=B": "x"}}, "env.A=B.[key]"),
        ({"cwd": "relative"}, "cwd"),
        ({"pull": "sometimes"}, "pull"),
        ({"limits": {"memory": "1KiB"}}, "limits.memory"),
        ({"limits": {"cpus": 0}}, "limits.cpus"),
        ({"limits": {"processes": 0}}, "limits.processes"),
        ({"mounts": [{"source": "a", "target": "/b"}]}, "mounts.0.source"),
        ({"mounts": [{"source": "/a/../b", "target": "/b"}]}, "mounts.0.source"),
        ({"mounts": [{"source": "/a", "target": "/"}]}, "mounts.0.target"),
        ({"mounts": [{"source": "/a", "target": "/proc/"}]}, "mounts.0.target"),
        ({"mounts": [{"source": "/a", "target": "/.horae"}]}, "mounts.0.target"),
        ({"mounts": [MOUNT, {**MOUNT, "target": "/data/"}]}, "mounts"),
        ({"privileged": True}, "privileged"),
    ],
)
def test_a_container_names_what_is_wrong(change: dict[str, Any], field: str):
    assert refused(ContainerTarget, {"image": "alpine", **change})[0] == field


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"uri": "tool.zip"}, "uri"),
        ({"uri": "s3://key:secret@bucket/tool.zip"}, "uri"),
        ({"uri": "zip://x::s3://bucket/tool.zip"}, "uri"),
        ({"uri": "s3://bucket/a b"}, "uri"),
        ({"digest": "sha256:" + "0" * 63}, "digest"),
        ({"digest": "md5:" + "0" * 32}, "digest"),
        ({"entrypoint": "module"}, "entrypoint"),
        ({"entrypoint": "module:function()"}, "entrypoint"),
        ({"entrypoint": "../m:f"}, "entrypoint"),
        ({"entrypoint": []}, "entrypoint"),
        ({"entrypoint": ["a\0b"]}, "entrypoint"),
        ({"entrypoint": {"m": "f"}}, "entrypoint"),
        ({"entrypoint": ["tool"], "arguments": {"a": 1}}, "arguments"),
        ({"install": True, "image": "alpine"}, "install"),
    ],
)
def test_an_archive_names_what_is_wrong(change: dict[str, Any], field: str):
    fine = {"uri": "s3://bucket/tool.zip", "digest": DIGEST, "entrypoint": "m:f"}
    assert refused(ArtifactTarget, {**fine, **change})[0] == field


def test_only_workers_with_containers_take_archives_with_images():
    fine = {"uri": "s3://bucket/tool.zip", "digest": DIGEST, "entrypoint": ["tool"]}
    assert ArtifactTarget(**fine).needs == "artifact"
    assert ArtifactTarget(**fine, image="alpine").needs == "artifact:container"
