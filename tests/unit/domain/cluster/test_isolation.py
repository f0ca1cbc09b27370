"""How well a worker isolates projects, given its settings."""

import json
from dataclasses import asdict, replace

import pytest

from horae.domain.cluster.isolation import Isolation, isolation_of

BOTH = Isolation(("script", "artifact"), "horae", "scripts")
OFF = "HORAE_SCRIPT_SANDBOX is off"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({}, None),
        ({"unsandboxed": OFF}, None),
        ({"user": "horae"}, None),
        (
            {"user": "horae", "unsandboxed": OFF},
            f"scripts run as horae, the worker's own user, without a sandbox ({OFF})",
        ),
        ({"worker": "root", "user": "root", "root": True}, "scripts run as root"),
        ({"worker": "root", "user": "root", "root": True, "unsandboxed": OFF}, "scripts run as root"),
        ({"installs": True}, "requirements of artifacts are installed as horae, the worker's own user"),
        ({"kinds": (), "unsandboxed": OFF}, None),
        ({"kinds": (), "mounts": ("/srv",)}, None),
        ({"kinds": (), "exposed": ("/srv",)}, "containers may mount /srv, which contain Horae's own files"),
    ],
)
def test_where_an_owner_is_an_admin(change, why):
    assert replace(BOTH, **change).owner_is_admin == why


def test_what_a_script_can_read():
    assert BOTH.readable == ["files that the user scripts can read"]
    assert len(replace(BOTH, unsandboxed=OFF).readable) == 2
    assert "except Horae's own" in replace(BOTH, user="horae").readable[0]
    assert "key files" in replace(BOTH, user="horae", unsandboxed=OFF).readable[0]
    assert replace(BOTH, root=True, mounts=("/srv",)).readable == ["everything on the machine"]
    assert replace(BOTH, mounts=("/srv", "/data")).readable[1:] == ["by containers: /srv", "by containers: /data"]
    assert replace(BOTH, kinds=()).readable == []
    assert replace(BOTH, kinds=(), mounts=("/srv",)).readable == ["by containers: /srv"]


@pytest.mark.parametrize("found", [BOTH, replace(BOTH, unsandboxed=OFF, mounts=("/srv",)), Isolation((), "a", "a")])
def test_isolation_survives_being_stored(found):
    told = asdict(found)
    assert isolation_of(json.dumps(told)) == isolation_of(told) == found
    assert isolation_of(json.dumps({**told, "a later word": 1})) == found


@pytest.mark.parametrize("stored", [None, "", "{}", "[]", "null", "no JSON", '{"kinds": null, "worker": "w"}', "7"])
def test_damaged_isolation_is_ignored(stored):
    assert isolation_of(stored) is None
