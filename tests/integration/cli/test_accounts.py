"""Signing in and managing accounts on the command line, against a whole Horae."""

import json
import stat
from pathlib import Path

import pytest

from .conftest import Say

GOOD, OTHER = "nine red kites above", "seven ducks cross over"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Its own configuration folder."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    return tmp_path / "horae" / "login.json"


def test_users_sign_in_and_act_as_themselves(say: Say, home: Path, running: Path, monkeypatch: pytest.MonkeyPatch):
    made = say("users", "create", "Ada", "--json", lines=f"{GOOD}\n").json
    assert (made["username"], made["is_admin"]) == ("ada", False)
    assert say("users", "create", "ada", lines=f"{GOOD}\n").code == 1
    assert say("users", "create", "bob", lines="short\n").code == 2
    assert say("projects", "add", "default", "ada", "--role", "editor").code == 0
    url = json.loads((running / "client.json").read_text())["url"]
    monkeypatch.setenv("HORAE_DATA_DIR", str(home.parent / "data"))
    monkeypatch.setenv("HORAE_URL", url)
    assert say("jobs", "list").code == 1
    assert "horae login" in say("jobs", "list").err
    assert say("login", "--username", "ada", lines="not the password\n").code == 1
    assert not home.exists()
    signed_in = say("login", "--username", "ada", "--json", lines=f"{GOOD}\n").json
    assert signed_in["projects"] == ["default"]
    assert stat.S_IMODE(home.stat().st_mode) == 0o600
    assert say("whoami", "--json").json["actor"] == "user:ada"
    assert "ada" in say("whoami").out
    assert say("jobs", "list", "--json").code == 0
    assert say("users", "list").code == 1  # an editor is no admin

    # the access token ends: the next one comes by itself
    kept = json.loads(home.read_text())
    home.write_text(json.dumps({**kept, "expires_at": "2020-01-01T00:00:00+00:00"}))
    assert say("jobs", "list", "--json").code == 0
    renewed = json.loads(home.read_text())
    assert renewed["refresh_token"] != kept["refresh_token"]
    # and so it does if the server does not know it any more
    home.write_text(json.dumps({**renewed, "access_token": "x.y.z"}))
    assert say("jobs", "list", "--json").code == 0

    assert say("password", lines=f"{GOOD}\n{OTHER}\n").code == 0
    assert say("logout").code == 0
    assert not home.exists()
    assert say("jobs", "list").code == 1
    assert say("login", "--username", "ada", lines=f"{GOOD}\n").code == 1
    assert say("login", "--username", "ada", lines=f"{OTHER}\n").code == 0
    # a session that ended elsewhere is forgotten here
    home.write_text(json.dumps({**renewed, "expires_at": "2020-01-01T00:00:00+00:00"}))
    over = say("jobs", "list")
    assert (over.code, "has ended; sign in with `horae login`" in over.err, home.exists()) == (1, True, False)


def test_people_are_invited_and_sign_up(say: Say, home: Path, running: Path, monkeypatch: pytest.MonkeyPatch):
    assert say("projects", "create", "mail", "--name", "Mail").code == 0
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("HORAE_PROJECT", "mail")
        refused = say("jobs", "list")  # by the key of `horae up`, which is of the default project
        assert (refused.code, "belongs to another project" in refused.err) == (1, True)
        assert "leave out HORAE_PROJECT" in refused.err
    token = say("projects", "invite", "mail", "--role", "owner", "--expires", "2d", "--json").json["token"]
    assert say("projects", "invite", "mail", "--role", "admin").code == 2
    url = json.loads((running / "client.json").read_text())["url"]
    with monkeypatch.context() as other:
        other.setenv("HORAE_DATA_DIR", str(home.parent / "data"))
        other.setenv("HORAE_URL", url)
        assert say("signup", "--token", "wrong", "--username", "eve", lines=f"{GOOD}\n").code == 2
        assert say("signup", "--token", token, "--username", "eve", lines=f"{GOOD}\n").code == 0
        assert [p["slug"] for p in say("projects", "list", "--json").json["items"]] == ["mail"]
        made = say("keys", "create", "ci", "--role", "viewer", "--expires", "1h", "--json").json
        assert {"id", "token"} <= made.keys()
        assert "ci" in say("keys", "list").out
        assert say("keys", "create", "boss", "--role", "admin").code == 1
        assert say("keys", "revoke", "ci", "--yes").code == 0
        assert say("keys", "revoke", made["id"], "--yes").code == 3
        assert "owner" in say("projects", "members", "mail").out
        assert say("projects", "remove", "mail", "eve", "--yes").code == 1  # the last owner
        assert "user:eve" in say("projects", "invitations", "mail").out
        home.unlink()
    link = say("projects", "invite", "mail", "--note", "spare", "--json").json
    assert say("projects", "uninvite", "mail", link["id"], "--yes").code == 0
    assert say("projects", "rename", "mail", "Post").code == 0
    assert say("projects", "delete", "default", "--yes").code == 1


def test_admins_manage_users(say: Say):
    assert say("users", "create", "root", "--admin", "--json", lines=f"{GOOD}\n").json["is_admin"]
    assert say("users", "create", "carl", lines=f"{GOOD}\n").code == 0
    for verb, field, value in (
        ("promote", "is_admin", True),
        ("demote", "is_admin", False),
        ("deactivate", "is_active", False),
        ("activate", "is_active", True),
    ):
        assert say("users", verb, "carl", "--json").json[field] is value
    assert say("users", "password", "carl", lines=f"{OTHER}\n").code == 0
    assert "carl" in say("users", "list").out
    assert say("users", "demote", "root").code == 1  # the last admin
    assert say("users", "delete", "carl", "--yes").code == 0
    assert say("users", "delete", "carl", "--yes").code == 3


def test_the_first_admin_is_made_on_the_database(say: Say, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HORAE_DATABASE_URL", f"sqlite:///{tmp_path}/cluster.db")
    assert say("migrate").code == 0
    made = say("users", "create", "ada", "--admin", "--json", lines=f"{GOOD}\n").json
    assert (made["username"], made["is_admin"]) == ("ada", True)
    key = say("keys", "create", "first", "--role", "admin", "--json").json
    assert key.keys() == {"id", "token"}


def test_a_key_that_is_made_on_the_database_is_for_the_chosen_project(
    say: Say, running: Path, monkeypatch: pytest.MonkeyPatch
):
    assert say("projects", "create", "shop").code == 0
    with monkeypatch.context() as on_database:
        on_database.setenv("HORAE_DATABASE_URL", f"sqlite:///{running / 'horae.db'}")
        on_database.setenv("HORAE_PROJECT", "shop")
        made = say("keys", "create", "for the shop", "--role", "owner", "--json").json
        on_database.setenv("HORAE_PROJECT", "shoop")
        refused = say("keys", "create", "misspelt", "--role", "owner")
        assert (refused.code, "there is no project 'shoop'" in refused.err) == (2, True), refused
    found = {key["id"]: key["project"] for key in say("keys", "list", "--all-projects", "--json").json["items"]}
    assert found[made["id"]] == "shop"


def test_deleting_a_user_lists_their_keys(say: Say, home: Path, running: Path, monkeypatch: pytest.MonkeyPatch):
    assert say("users", "create", "mallory", lines=f"{GOOD}\n").code == 0
    assert say("projects", "add", "default", "mallory", "--role", "owner").code == 0
    url = json.loads((running / "client.json").read_text())["url"]
    with monkeypatch.context() as other:
        other.setenv("HORAE_DATA_DIR", str(home.parent / "data"))
        other.setenv("HORAE_URL", url)
        assert say("login", "--username", "mallory", lines=f"{GOOD}\n").code == 0
        assert say("keys", "create", "spare-deploy", "--role", "editor").code == 0
        assert say("projects", "invite", "default", "--role", "owner").code == 0
        home.unlink()
    (key,) = say("keys", "list", "--all-projects", "--maker", "mallory", "--json").json["items"]
    assert (key["name"], key["maker"], key["project"]) == ("spare-deploy", "user:mallory", "default")
    gone = say("users", "deactivate", "mallory")
    assert gone.code == 0
    assert "Withdrew 1 open invitation of theirs." in gone.err
    assert "Keys they created still work: spare-deploy (editor of default)" in gone.err
    assert "Revoked the keys they created: spare-deploy" in say("users", "deactivate", "mallory", "--revoke-keys").err
    assert say("keys", "list", "--maker", "mallory", "--json").json["items"] == []
    left = say("users", "delete", "mallory", "--yes", "--json").json
    assert (left["deleted"], left["keys"]) == (True, [])
