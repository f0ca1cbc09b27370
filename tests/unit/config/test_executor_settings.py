"""Settings of containers and archives."""

from pathlib import Path

import pytest

from horae.config import load
from horae.domain.errors import ConfigurationError
from horae.executors.containers.credentials import find_file
from horae.executors.containers.service import find_socket


def test_they_are_read(tmp_path):
    settings = load(
        {
            "HORAE_CONTAINER_HOST": "unix:///run/x.sock",
            "HORAE_CONTAINER_MOUNTS": "/srv/a, /srv/b",
            "HORAE_ARTIFACT_CACHE": str(tmp_path),
            "HORAE_ARTIFACT_CACHE_LIMIT": "2GiB",
            "HORAE_ARTIFACT_SCHEMES": "s3,gs",
            "HORAE_ARTIFACT_INSTALL": "yes",
        }
    )
    assert (settings.container_host, settings.container_mounts) == ("unix:///run/x.sock", ("/srv/a", "/srv/b"))
    assert (settings.artifact_cache, settings.artifact_cache_limit) == (tmp_path, 2 << 30)
    assert (settings.artifact_schemes, settings.artifact_install) == (("s3", "gs"), True)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("HORAE_CONTAINER_HOST", "tcp://127.0.0.1:2375"),
        ("HORAE_CONTAINER_MOUNTS", "srv"),
        ("HORAE_ARTIFACT_LIMIT", "-1"),
    ],
)
def test_mistakes_are_named(name, value):
    with pytest.raises(ConfigurationError, match=name):
        load({name: value})


def test_a_socket_is_found_by_setting_then_by_the_variables_of_docker_and_podman():
    docker = {"DOCKER_HOST": "unix:///docker.sock", "CONTAINER_HOST": "unix:///podman.sock"}
    assert find_socket("unix:///mine.sock", docker) == "/mine.sock"
    assert find_socket(None, docker) == "/docker.sock"
    assert find_socket(None, {"CONTAINER_HOST": "unix:///podman.sock"}) == "/podman.sock"
    with pytest.raises(ConfigurationError, match="HORAE_CONTAINER_HOST"):
        find_socket(None, {"DOCKER_HOST": "tcp://127.0.0.1:2375"})


def test_logins_are_found_where_docker_and_podman_keep_them(tmp_path):
    (tmp_path / ".docker").mkdir()
    assert find_file({"HOME": str(tmp_path)}) is None
    file = tmp_path / ".docker" / "config.json"
    file.touch()
    assert find_file({"HOME": str(tmp_path)}) == file
    assert find_file({"HOME": "/", "DOCKER_CONFIG": str(file.parent)}) == file
    assert find_file({"HOME": str(tmp_path), "REGISTRY_AUTH_FILE": "/other.json"}) == Path("/other.json")
