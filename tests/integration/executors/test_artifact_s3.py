"""Archives in S3: a real server process that speaks its protocol (moto's)."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from horae.domain.runs.states import AttemptOutcome
from tests.integration.executors.archives import PLACE, Shelf, digest, zipped

ARCHIVE = zipped({"m.py": "def f(): return 'from the bucket'"})
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_DEFAULT_REGION": "us-east-1"}


def target(uri: str) -> dict[str, str]:
    return {"kind": "artifact", "uri": uri, "digest": digest(ARCHIVE)}


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    url = f"http://127.0.0.1:{port}"
    try:
        transport = httpx.HTTPTransport(retries=12)  # with growing pauses, until it listens
        with httpx.Client(base_url=url, transport=transport, timeout=30) as client:
            signed = {"Authorization": "AWS4-HMAC-SHA256 Credential=key/20260101/us-east-1/s3/aws4_request"}
            client.put("/bucket", headers=signed).raise_for_status()
            client.put("/bucket/tools/m.zip", content=ARCHIVE, headers=signed).raise_for_status()
        yield url
    finally:
        server.terminate()
        server.wait(10)


@pytest.fixture
def shelf(tmp_path: Path, endpoint: str) -> Shelf:
    return Shelf(tmp_path, environment={**PLACE, **CREDENTIALS, "AWS_ENDPOINT_URL": endpoint})


async def test_an_archive_comes_from_a_bucket(shelf):
    outcome, _ = await shelf.run(target("s3://bucket/tools/m.zip"), "m:f")
    assert (outcome.error, outcome.result) == (None, '"from the bucket"')


@pytest.mark.parametrize("uri", ["s3://bucket/absent.zip", "s3://absent-bucket/m.zip"])
async def test_a_missing_archive_is_a_permanent_failure(shelf, uri):
    outcome, _ = await shelf.run(target(uri), "m:f")
    assert (outcome.kind, outcome.permanent) == (AttemptOutcome.FAILED, True)
    assert outcome.error == f"there is no archive at {uri}"


async def test_an_unreachable_storage_is_reported(tmp_path):
    shelf = Shelf(tmp_path, environment={**PLACE, **CREDENTIALS, "AWS_ENDPOINT_URL": "http://127.0.0.1:1"})
    outcome, _ = await shelf.run(target("s3://bucket/tools/m.zip"), "m:f")
    assert (outcome.kind, outcome.permanent) == (AttemptOutcome.FAILED, True)
    assert (outcome.error or "").startswith("the storage of s3://bucket/tools/m.zip cannot be reached: ")
    assert list(shelf.cache.glob("*/files")) == []


async def test_without_credentials_it_says_so(tmp_path, endpoint):
    nowhere = {"AWS_EC2_METADATA_DISABLED": "true", "HOME": str(tmp_path)}
    shelf = Shelf(tmp_path, environment={**PLACE, **nowhere, "AWS_ENDPOINT_URL": endpoint})
    outcome, _ = await shelf.run(target("s3://bucket/tools/m.zip"), "m:f")
    assert outcome.permanent
    assert "credentials" in (outcome.error or "")
