"""`horae alerts` and what `horae doctor` says of alerts, against a running Horae."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from .conftest import Horae, Say

pytestmark = [pytest.mark.slow, pytest.mark.sqlite]
PASSWORD = "correct horse battery"


@pytest.fixture
def alert(horae: Horae) -> Iterator[dict[str, Any]]:
    """One that opens at once: a ping that reports a failure."""
    url = horae("pings", "create", "backup", "--json").json["url"]
    assert httpx.get(f"{url}/fail", trust_env=False).is_success
    (found,) = horae("alerts", "list", "--rule", "ping_failed", "--json").json["items"]
    yield found
    assert horae("pings", "delete", "backup", "--yes").code == 0


def ids(horae: Horae, *filters: str) -> list[str]:
    """Other tests share this Horae, and their jobs may fail."""
    found = horae("alerts", "list", "--rule", "ping_failed", *filters, "--json").json["items"]
    return [one["id"] for one in found]


def test_list_show_acknowledge_and_silence(horae: Horae, alert: dict[str, Any]):
    assert "backup" in horae("alerts", "list").out
    shown = horae("alerts", "show", alert["id"]).out
    for text in (alert["title"], "critical", "open", alert["why"], alert["action"]["text"]):
        assert text in shown
    assert horae("alerts", "ack", alert["id"], "--note", "the disk is full").code == 0
    assert "the disk is full" in horae("alerts", "show", alert["id"]).out
    assert "acknowledged by key:" in horae("alerts", "list").out
    assert horae("alerts", "silence", alert["id"]).code == 2
    silent = horae("alerts", "silence", alert["id"], "--for", "2h", "--json").json
    assert silent["silenced_until"] is not None
    assert "No longer silenced" in horae("alerts", "silence", alert["id"], "--for", "0").err
    assert ids(horae, "--severity", "critical") == [alert["id"]]
    assert ids(horae, "--severity", "warning") == []
    assert horae("alerts", "show", "01a1de05-bc6e-7493-ac17-5c90c59c6a0f").code == 3
    httpx.get(horae("pings", "show", "backup", "--json").json["url"], trust_env=False)  # it is well again
    assert ids(horae) == []
    assert "cleared" in horae("alerts", "list", "--all").out
    assert horae("alerts", "ack", alert["id"]).code == 1


def test_settings(horae: Horae):
    assert horae("alerts", "settings", "--late", "1h", "--failing", "0", "--json").json["late"] == 3600
    assert "3600" in horae("alerts", "settings").out
    assert horae("alerts", "settings", "--failing", "often").code == 2
    back = horae("alerts", "settings", "--late", "default", "--failing", "default", "--json").json
    assert set(back.values()) == {None}


def test_a_user_of_another_project_sees_nothing(
    say: Say, alert: dict[str, Any], running: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    assert say("projects", "create", "mail", "--name", "Mail").code == 0
    token = say("projects", "invite", "mail", "--role", "owner", "--json").json["token"]
    with monkeypatch.context() as other:
        other.setenv("XDG_CONFIG_HOME", str(tmp_path))
        other.setenv("HORAE_DATA_DIR", str(tmp_path / "data"))
        other.setenv("HORAE_URL", json.loads((running / "client.json").read_text())["url"])
        assert say("signup", "--token", token, "--username", "eve", lines=f"{PASSWORD}\n").code == 0
        assert say("alerts", "list", "--all", "--rule", "ping_failed", "--json").json["items"] == []
        for verb in (["show"], ["ack"], ["silence", "--for", "1h"]):
            assert say("alerts", verb[0], alert["id"], *verb[1:]).code == 3
        assert say("alerts", "list", "--of", "default").code in (1, 3)


def test_doctor_names_open_alerts(horae: Horae, alert: dict[str, Any]):
    answer, said = horae("doctor", "--json"), f", in project default: {alert['title']}"
    (check,) = [one for one in answer.json["checks"] if one["name"] == "alert" and one["finding"].endswith(said)]
    assert check["state"] == "warning"
    assert check["finding"].startswith("critical, for ")
    assert check["remedy"] == alert["action"]["text"]
    assert answer.code == 0, "a job or ping that fails is not a failure of Horae"
    horae("alerts", "silence", alert["id"], "--for", "1h")
    assert said not in horae("doctor", "--json").out
