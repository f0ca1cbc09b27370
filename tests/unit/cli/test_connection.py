"""Where a token may go: not where a file says that happens to lie in the working directory."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from horae import config
from horae.cli.connection import connect, known_url, on_the_database
from horae.cli.people import login
from horae.domain.errors import ConfigurationError

TOKEN = "horae_0000000000000000_secret"
HERE = 'url = "http://127.0.0.1:1"'


@pytest.fixture(autouse=True)
def cloned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that another user has prepared."""
    for name in list(os.environ):
        if name.startswith("HORAE_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    folder = tmp_path / "cloned"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def put(text: str, name: str = "horae.toml") -> None:
    Path(name).write_text(text)


@pytest.mark.parametrize(
    ("toml", "environment"),
    [
        (HERE, {"HORAE_TOKEN": TOKEN}),
        (f'token = "{TOKEN}"', {"HORAE_URL": "http://127.0.0.1:1"}),
        ('data_dir = "state"', {"HORAE_TOKEN": TOKEN}),
    ],
)
def test_url_and_token_of_different_sources_are_refused(
    toml: str, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
):
    put(toml)
    Path("state").mkdir()
    put(json.dumps({"url": "http://127.0.0.1:1", "token": "x"}), "state/client.json")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ConfigurationError, match=r"horae\.toml in this directory.*HORAE_CONFIG") as refused:
        connect()
    assert TOKEN not in str(refused.value)
    monkeypatch.setenv("HORAE_CONFIG", "horae.toml")  # someone means it
    with connect() as client:
        assert client.url.rstrip("/").endswith("127.0.0.1:1")


def test_both_of_one_source_are_taken(monkeypatch: pytest.MonkeyPatch):
    put(f'{HERE}\ntoken = "{TOKEN}"')
    with connect() as client:
        assert client.url.rstrip("/") == "http://127.0.0.1:1"
    put('port = 9000\nproject = "red"')
    monkeypatch.setenv("HORAE_URL", "http://127.0.0.1:2")
    monkeypatch.setenv("HORAE_TOKEN", TOKEN)
    with connect() as client:
        assert client.url.rstrip("/") == "http://127.0.0.1:2"
    # what the file says of the address does not count where the environment says otherwise
    put(HERE)
    with connect() as client:
        assert client.url.rstrip("/") == "http://127.0.0.1:2"


def test_no_password_goes_where_such_a_file_says():
    for toml in (HERE, 'data_dir = "state"'):
        put(toml)
        with pytest.raises(ConfigurationError, match="--url"):
            known_url(config.load())
    put("port = 9000")
    assert known_url(config.load()) == "http://127.0.0.1:9000"


def test_accounts_are_not_created_in_the_database_of_an_untrusted_file(monkeypatch: pytest.MonkeyPatch):
    put('database_url = "postgresql://evil.example/horae"')
    assert on_the_database(config.load())  # the first steps of a cluster: there is no API yet
    monkeypatch.setenv("HORAE_TOKEN", TOKEN)
    with pytest.raises(ConfigurationError, match="database_url"):
        on_the_database(config.load())
    monkeypatch.setenv("HORAE_CONFIG", "horae.toml")
    assert on_the_database(config.load())


@pytest.mark.parametrize(
    ("url", "warns"),
    [
        ("http://horae.example", True),
        ("http://192.0.2.1:8080", True),
        ("https://horae.example", False),
        ("http://127.0.0.1:8080", False),
        ("http://[::1]:8080", False),
        ("http://localhost:8080", False),
    ],
)
def test_signing_in_over_plain_http_warns(url: str, warns: bool, capsys: pytest.CaptureFixture[str]):
    login.warn_of_plain(url)
    said: Any = capsys.readouterr()
    assert ("not encrypted" in said.err + said.out) is warns
