"""Keys and the database's address from files, as orchestrators hand out secrets."""

from pathlib import Path

import pytest

from horae import config
from horae.domain.errors import ConfigurationError

KEY = "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0"


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def key(tmp_path: Path) -> Path:
    path = tmp_path / "key"
    path.write_text(KEY + "\n")
    path.chmod(0o400)
    return path


@pytest.mark.parametrize("name", ["secret_key", "secret_key_previous"])
@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_a_key_without_the_end_of_its_line(name: str, end: str, tmp_path: Path):
    (tmp_path / "k").write_text(KEY + end)
    found = config.load({f"HORAE_{name.upper()}_FILE": str(tmp_path / "k")})
    assert getattr(found, name) == KEY
    assert found.sources[name] == f"HORAE_{name.upper()}_FILE: {tmp_path}/k"
    assert found.files == {name: tmp_path / "k"}


def test_the_database(tmp_path: Path):
    (tmp_path / "url").write_text("postgresql://u:p@db/horae\n")
    found = config.load({"HORAE_DATABASE_URL_FILE": str(tmp_path / "url")})
    assert found.database_url == "postgresql://u:p@db/horae"
    assert "HORAE_DATABASE_URL" not in found.environment(), "children read the file themselves"


def test_in_toml(key: Path, tmp_path: Path):
    (tmp_path / "horae.toml").write_text(f'secret_key_file = "{key}"')
    assert config.load({}).secret_key == KEY
    other = KEY[::-1]
    assert config.load({"HORAE_SECRET_KEY": other}).secret_key == other, "the environment goes first"
    (tmp_path / "horae.toml").write_text(f'secret_key_file = "{key}"\nsecret_key = "{other}"')
    with pytest.raises(ConfigurationError, match="has both secret_key and secret_key_file"):
        config.load({})


def test_up_takes_it_instead_of_making_one(key: Path, tmp_path: Path):
    environ = {"HORAE_SECRET_KEY_FILE": str(key), "HORAE_DATA_DIR": str(tmp_path / "data")}
    assert config.load(environ, up=True).secret_key == KEY
    assert not (tmp_path / "data" / "secret.key").exists()


def test_both_forms(key: Path):
    with pytest.raises(ConfigurationError, match="HORAE_SECRET_KEY and HORAE_SECRET_KEY_FILE are both set"):
        config.load({"HORAE_SECRET_KEY": KEY, "HORAE_SECRET_KEY_FILE": str(key)})


def test_an_empty_variable_counts_as_not_set(key: Path):
    assert config.load({"HORAE_SECRET_KEY": "", "HORAE_SECRET_KEY_FILE": str(key)}).secret_key == KEY
    assert config.load({"HORAE_SECRET_KEY_FILE": ""}).secret_key is None


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "HORAE_SECRET_KEY_FILE: cannot read .*: No such file"),
        (b"short\n", "HORAE_SECRET_KEY_FILE: what is in .* is too short"),
        (b"", "must be one line of text"),
        (KEY.encode() + b"\nand more", "must be one line of text"),
        (b"\xff" * 64, "is not text"),
    ],
)
def test_unusable_key_files_are_refused(content: bytes | None, words: str, tmp_path: Path):
    if content is not None:
        (tmp_path / "k").write_bytes(content)
    with pytest.raises(ConfigurationError, match=words) as refusal:
        config.load({"HORAE_SECRET_KEY_FILE": str(tmp_path / "k")})
    assert "short\n" not in str(refusal.value)


@pytest.mark.parametrize(("mode", "said"), [(0o400, ""), (0o640, ""), (0o644, "read by every"), (0o602, "changed by")])
def test_group_or_world_readable_key_files_are_reported(mode: int, said: str, key: Path):
    key.chmod(mode)
    found = config.open_files(config.load({"HORAE_SECRET_KEY_FILE": str(key)}))
    assert [said in words for words in found] == ([True] if said else [])
