"""Settings: where they come from, what they look like, and what is refused."""

import os
import re
import stat
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from horae import config, wiring
from horae.config import kinds as setting
from horae.domain.errors import ConfigurationError
from tests.lacking import lacking

KEY = "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0"


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def load(**environ: str) -> config.Settings:
    return config.load({f"HORAE_{name}": value for name, value in environ.items()})


def test_the_defaults_are_those_of_the_interface():
    found = load()
    assert (found.host, found.port, found.engine) == ("127.0.0.1", 8080, "database")
    assert (found.shard_count, found.scheduler_poll, found.scheduler_batch) == (64, 1, 1000)
    assert (found.worker_slots, found.worker_poll, found.worker_poll_max) == (16, 1, 10)
    assert (found.lease, found.heartbeat, found.shard_lease) == (15, 3, 6)
    assert (found.offline_after, found.drain_timeout, found.default_timeout) == (180, 30, 300)
    assert found.retention == found.log_retention == 30 * 86_400
    assert (found.log_limit, found.http_allow_private, found.executors) == (1 << 20, False, ("http", "python"))
    assert (found.secret_key, found.allow_signup, found.metrics_token) == (None, False, None)
    assert found.database_url == f"sqlite:///{found.data_dir}/horae.db"
    assert set(found.sources.values()) == {"default"}


def test_up_has_its_own_defaults_and_makes_a_key_once(tmp_path: Path):
    environ = {"HORAE_DATA_DIR": str(tmp_path / "data")}
    found = config.load(environ, up=True)
    assert (found.http_allow_private, found.drain_timeout) == (True, 5)
    assert found.public_url == "http://127.0.0.1:8080"
    assert found.executors == ("http", "python", "script")
    assert found.secret_key is not None
    assert config.load(environ, up=True).secret_key == found.secret_key
    assert stat.S_IMODE((tmp_path / "data" / "secret.key").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700
    assert config.load(environ).secret_key is None  # a cluster's process must be given its key


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ({"HORAE_PORT": "9000"}, "http://127.0.0.1:9000"),
        ({"HORAE_HOST": "0.0.0.0"}, "http://127.0.0.1:8080"),
        ({"HORAE_HOST": "::1"}, "http://[::1]:8080"),
        ({"HORAE_PUBLIC_URL": "https://horae.example.org/"}, "https://horae.example.org"),
    ],
)
def test_the_public_url_of_up_defaults_to_its_own_address(tmp_path: Path, given: dict[str, str], url: str):
    assert config.load({"HORAE_DATA_DIR": str(tmp_path), **given}, up=True).public_url == url
    assert config.load({"HORAE_DATA_DIR": str(tmp_path)}).public_url is None


def test_children_of_up_see_what_it_sees(tmp_path: Path):
    environ = {"HORAE_DATA_DIR": str(tmp_path), "HORAE_LEASE": "30s"}
    parent = config.load(environ, up=True, overrides={"port": 8080})
    child = config.load({**environ, **parent.environment()})
    for name in parent.sources:
        assert getattr(child, name) == getattr(parent, name), name


def test_the_environment_goes_before_the_file(tmp_path: Path):
    Path("horae.toml").write_text('port = 9000\nlease = "20s"\nexecutors = ["http"]\n[engines]\nmail = "database"\n')
    found = load(PORT="9001")
    assert (found.port, found.lease, found.executors, found.engines) == (9001, 20, ("http",), {"mail": "database"})
    assert (found.sources["port"], found.sources["lease"]) == ("HORAE_PORT", "horae.toml")
    assert config.load({"HORAE_PORT": "9001"}, overrides={"port": 9002}).port == 9002
    Path("other.toml").write_text("port = 9003\n")
    assert load(CONFIG="other.toml").port == 9003


def test_the_address_of_a_trace_has_a_place_for_its_id():
    assert load(TRACE_URL="https://traces.example.org/t/{trace_id}?x=1").trace_url is not None
    for bad, message in (
        ("https://traces.example.org/t", "contain {trace_id}"),
        ("javascript:{trace_id}", "a URL that"),
    ):
        with pytest.raises(ConfigurationError, match=re.escape(message)):
            load(TRACE_URL=bad)


def test_empty_is_not_set():
    assert load(PORT="", SECRET_KEY="").port == 8080


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("port = ", "not valid TOML"),
        ("prot = 1", "did you mean 'port'"),
        ("port = true", "port in horae.toml must be a whole number"),
        ('lease = "soon"', "lease in horae.toml must be a duration"),
        ("executors = 5", "executors in horae.toml must be a list"),
    ],
)
def test_a_bad_file_is_named(text: str, message: str):
    Path("horae.toml").write_text(text)
    with pytest.raises(ConfigurationError, match=re.escape(message)):
        load()


@pytest.mark.parametrize(
    ("owner", "mode", "message"),
    [(65534, 0o600, "belongs to another user"), (None, 0o666, "can be changed by every user of this machine")],
)
def test_a_file_that_others_wrote_is_used_only_if_it_is_named(owner: int | None, mode: int, message: str):
    file = Path("horae.toml")
    file.write_text("port = 9000\n")
    file.chmod(mode)
    if owner is not None:
        if os.geteuid() != 0:
            lacking("only root can give a file away")
        os.chown(file, owner, owner)
    with pytest.raises(ConfigurationError, match=message):
        load()
    assert load(CONFIG="horae.toml").port == 9000


def test_a_file_that_is_not_there():
    with pytest.raises(ConfigurationError, match="there is no file"):
        load(CONFIG="nothing.toml")


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("PORT", "0", "HORAE_PORT must be a whole number from 1 to 65535"),
        ("PORT", "٨٠", "HORAE_PORT must"),
        ("LEASE", "15 parsecs", "HORAE_LEASE must be a duration such as 15m"),
        ("LEASE", "nan", "HORAE_LEASE must be a duration"),
        ("LEASE", "-5s", "HORAE_LEASE must be a duration"),
        ("LEASE", "8s", "three times HORAE_HEARTBEAT"),
        ("HEARTBEAT", "10s", "three times HORAE_HEARTBEAT"),
        ("LOG_LIMIT", "1 mile", "HORAE_LOG_LIMIT must be a size"),
        ("LOG_LIMIT", "1B", "HORAE_LOG_LIMIT must be from"),
        ("ALLOW_SIGNUP", "perhaps", "HORAE_ALLOW_SIGNUP must be true or false"),
        ("ENGINE", "steam", "HORAE_ENGINE must be one of database, celery"),
        ("ENGINE", "celery", "the engine celery needs a broker: set HORAE_BROKER_URL"),
        ("SECRET_KEY", "short", "HORAE_SECRET_KEY is too short"),
        ("SECRET_KEY", "a" * 64, "HORAE_SECRET_KEY is a well-known"),
        ("SECRET_KEY", "change-me-change-me-change-me-please-1", "HORAE_SECRET_KEY is a well-known"),
        ("DATABASE_URL", "oracle://x/y", "HORAE_DATABASE_URL must begin with postgresql://"),
        ("DATABASE_URL", "horae.db", "HORAE_DATABASE_URL must begin with"),
        ("DATABASE_URL", "sqlite://", "HORAE_DATABASE_URL must name a file"),
        ("DATABASE_URL", "sqlite:///:memory:", "HORAE_DATABASE_URL must name a file"),
        ("DATABASE_URL", "postgresql://user:hunter2@host", "must name a host and a database"),
        ("DATABASE_URL", "postgresql://user:hunter2@host:port/x", "must name a host and a database"),
        ("BROKER_URL", "http://x", "HORAE_BROKER_URL must be a URL"),
        ("URL", "127.0.0.1:8080", "HORAE_URL must be a URL"),
        ("HOST", "no host", "HORAE_HOST must be a host name"),
        ("WORKER_POLL", "20s", "must not exceed HORAE_WORKER_POLL_MAX"),
        ("ENGINES", "mail", "HORAE_ENGINES must be pairs"),
        ("LOG_FORMAT", "xml", "HORAE_LOG_FORMAT must be one of"),
    ],
)
def test_bad_values_are_named_in_one_line_and_not_repeated(name: str, value: str, message: str):
    with pytest.raises(ConfigurationError) as refused:
        load(**{name: value})
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)
    assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("postgres://u:p@h/d", "postgresql://u:p@h/d"),
        ("postgresql+asyncpg://u:p@h:5433/d?sslmode=require", "postgresql://u:p@h:5433/d?sslmode=require"),
        ("mariadb://u:p@h/d", "mysql://u:p@h/d"),
        ("mysql+aiomysql://h/d", "mysql://h/d"),
        ("sqlite:////var/lib/x.db", "sqlite:////var/lib/x.db"),
    ],
)
def test_each_database_has_one_spelling(given: str, read: str):
    assert load(DATABASE_URL=given).database_url == read


@pytest.mark.parametrize(
    "given",
    ["redis://h", "redis://:p%2Fw@h:6380/15", "rediss://u:p@h/0?ssl_ca_certs=/ca.pem&ssl_check_hostname=false"],
)
def test_a_redis_for_wake_ups(given: str):
    assert load(WAKEUPS=given).wakeups == given


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("amqp://u:hidden@h", "must be a URL that begins with redis:// or rediss://"),
        ("redis://u:hidden@", "must be a URL that begins with redis:// or rediss://"),
        ("redis://u:hidden@h/name", "must end in the number of a database"),
        ("rediss://u:hidden@h/0?protocol=3", "has an unknown option after the `?`; there are ssl_ca_certs"),
        ("redis://u:hidden@h/0?ssl_ca_certs=/ca.pem", "has options for TLS, which needs rediss://"),
    ],
)
def test_a_redis_that_cannot_be_one(given: str, words: str):
    with pytest.raises(ConfigurationError, match=re.escape(f"HORAE_WAKEUPS {words}")) as refused:
        load(WAKEUPS=given)
    assert "hidden" not in str(refused.value)


def test_wake_ups_over_redis_without_its_client_name_the_extra(monkeypatch: pytest.MonkeyPatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "redis" or name == "horae.wakeups.redis"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delattr("horae.wakeups.redis", raising=False)
    monkeypatch.setitem(sys.modules, "redis", None)
    with pytest.raises(ConfigurationError, match=r"pip install 'horae\[redis\]'"):
        wiring.wakeups_for(load(WAKEUPS="redis://localhost"))


def test_a_relative_sqlite_file_is_found_again_from_anywhere(tmp_path: Path):
    assert load(DATABASE_URL="sqlite:///x.db").database_url == f"sqlite:///{tmp_path}/x.db"


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("10s", 10),
        ("5m", 300),
        ("2h", 7_200),
        ("1d", 86_400),
        ("1h30m", 5_400),
        ("250ms", 0.25),
        ("PT1H30M", 5_400),
        ("7", 7),
        ("1.5", 1.5),
    ],
)
def test_durations(text: str, seconds: float):
    assert setting.duration(0, 1e9)(text) == pytest.approx(seconds)


@given(st.one_of(st.text(max_size=30), st.integers(), st.floats(), st.booleans(), st.none()))
def test_any_duration_is_read_or_refused(value: Any):
    with suppress(ValueError):
        assert 1 <= setting.duration(1, 100)(value) <= 100


def test_secrets_are_not_shown():
    found = load(SECRET_KEY=KEY, DATABASE_URL="postgresql://u:hunter2@h/d", TOKEN="horae_x", METRICS_TOKEN="mmm")
    for secret in (KEY, "hunter2", "horae_x", "mmm"):
        assert secret not in repr(found)


def test_a_cluster_needs_a_key():
    with pytest.raises(ConfigurationError, match="openssl rand -hex 32"):
        load().need_secret_key()
    assert load(SECRET_KEY=KEY).need_secret_key() == KEY


def test_a_data_directory_that_cannot_be(tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError, match="cannot write to the data directory"):
        load(DATA_DIR=str(tmp_path / "file" / "data")).make_data_dir()


def test_the_data_directory_follows_the_home(monkeypatch: pytest.MonkeyPatch):
    assert config.load({"XDG_DATA_HOME": "/x"}).data_dir == Path("/x/horae")
    monkeypatch.setenv("HOME", "/home/ann")
    assert config.load({}).data_dir == Path("/home/ann/.local/share/horae")


def test_origins_are_exact():
    given = "https://Example.org:443, http://localhost:3000,https://[::1]:8443"
    assert load(CORS_ORIGINS=given).cors_origins == (
        "https://example.org",
        "http://localhost:3000",
        "https://[::1]:8443",
    )
    assert load().cors_origins is None
    for wrong in (
        "*",
        "null",
        "example.org",
        "https://*.example.org",
        "https://example.org/x",
        "https://u@example.org",
    ):
        with pytest.raises(ConfigurationError, match="exact origins"):
            load(CORS_ORIGINS=wrong)
    for wrong in ("ftp://example.org", "https://", "https://example.org:99999", "https://a?b", "https://exa mple.org"):
        with pytest.raises(ConfigurationError, match="exact origins"):
            load(CORS_ORIGINS=f"https://fine.example,{wrong}")


def test_jobs_with_their_own_metrics():
    assert load().metrics_jobs is None
    assert load(METRICS_JOBS="finance/nightly, default/a/b").metrics_jobs == ("finance/nightly", "default/a/b")
    for wrong in ("nightly", "/nightly", "finance/", "*", ",".join(f"p/{n}" for n in range(101))):
        with pytest.raises(ConfigurationError, match="project/name"):
            load(METRICS_JOBS=wrong)
