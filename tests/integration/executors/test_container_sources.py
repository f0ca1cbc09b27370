"""Where a container gets things from: images of a registry, folders of the machine."""

import asyncio
import json
from base64 import b64encode
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from horae.domain.runs.states import AttemptOutcome
from horae.domain.targets.container import ContainerTarget, Mount
from horae.executors.container import ContainerExecutor
from tests.integration.executors.attempts import make_attempt
from tests.integration.executors.containers import executor_on, make_runner, run, shell
from tests.integration.executors.podman import IMAGE, Podman
from tests.integration.executors.registry import Registry, registry


@pytest.fixture
async def images() -> AsyncIterator[Registry]:
    async with registry() as it:
        yield it


def of(image: str, pull: str = "missing") -> dict[str, object]:
    return {"kind": "container", "image": image, "network": False, "pull": pull}


# ---- images


async def test_a_missing_image_is_pulled_once_for_all_who_wait(container, images):
    attempts = [make_attempt(of(f"{images.host}/team/tool:1")) for _ in range(3)]
    outcomes = await asyncio.gather(*(container.execute(attempt) for attempt, _ in attempts))
    assert [(outcome.error, log.text()) for outcome, (_, log) in zip(outcomes, attempts, strict=True)] == [
        (None, "pulled\n")
    ] * 3
    assert "".join(log.text("system") for _, log in attempts) == f"pulling {images.host}/team/tool:1\n"


async def test_always_pulls_each_time(container, images):
    for _ in range(2):
        attempt, log = make_attempt(of(f"{images.host}/team/tool:1", "always"))
        assert (await container.execute(attempt)).error is None
        assert "pulling" in log.text("system")


async def test_an_image_that_is_not_there_is_a_permanent_failure(container, images):
    attempt, _ = make_attempt(of(f"{images.host}/team/tool:2"))
    outcome = await container.execute(attempt)
    assert (outcome.kind, outcome.permanent) == (AttemptOutcome.FAILED, True)
    assert (outcome.error or "").startswith(f"the image {images.host}/team/tool:2 does not exist: ")


async def test_a_registry_that_is_away_is_worth_another_try(container):
    attempt, _ = make_attempt(of("127.0.0.1:1/team/tool:1"))
    outcome = await container.execute(attempt)
    assert (outcome.kind, outcome.permanent) == (AttemptOutcome.FAILED, False)
    assert (outcome.error or "").startswith("the image 127.0.0.1:1/team/tool:1 cannot be pulled now: ")


async def test_a_registry_gets_the_credentials_of_the_worker_s_user(podman, tmp_path):
    login = b64encode(b"user:pass:word").decode()
    logins = tmp_path / "config.json"
    executor = ContainerExecutor(make_runner(podman.socket, logins=logins))
    async with registry(login) as images:
        attempt, _ = make_attempt(of(f"{images.host}/team/tool:1"))
        outcome = await executor.execute(attempt)
        assert (outcome.permanent, "does not exist" in (outcome.error or "")) == (True, True), "nobody has logged in"
        logins.write_text(json.dumps({"auths": {images.host: {"auth": login}}}))
        assert (await executor.execute(attempt)).error is None
    await executor.close()


# ---- mounts


async def test_allowed_folders_can_be_mounted(podman, tmp_path):
    tmp_path.chmod(0o755)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "text").write_text("hello\n")
    (tmp_path / "out").mkdir()
    mounts = [
        {"source": str(tmp_path / "in"), "target": "/in"},
        {"source": str(tmp_path / "out"), "target": "/out", "read_only": False},
    ]
    async with executor_on(podman.socket, mounts=[str(tmp_path)]) as executor:
        outcome, log = await run(executor, "cat /in/text; echo x > /in/text; echo y > /out/text", mounts=mounts)
    assert (outcome.exit_code, log.text()) == (0, "hello\n")
    assert "Read-only" in log.text("stderr")
    assert (tmp_path / "out" / "text").read_text() == "y\n"


@pytest.mark.parametrize("source", ["/etc", "{allowed}/link", "{allowed}x", "{allowed}/missing"])
async def test_others_cannot(podman, tmp_path, source):
    allowed: Path = tmp_path / "allowed"
    allowed.mkdir()
    (tmp_path / "allowedx").mkdir()
    (allowed / "link").symlink_to("/etc")
    async with executor_on(podman.socket, mounts=[str(allowed)]) as executor:
        place = source.format(allowed=allowed)
        outcome, _ = await run(executor, "true", mounts=[{"source": place, "target": "/x"}])
    assert outcome.permanent
    assert place in (outcome.error or "")


# ---- what it may reach


async def test_a_folder_that_became_a_link_is_not_mounted(podman: Podman, tmp_path: Path) -> None:
    """A container that may write beside it can put one there, after it was found to be allowed."""
    allowed, place = tmp_path / "allowed", tmp_path / "allowed" / "place"
    place.mkdir(parents=True)
    async with executor_on(podman.socket, mounts=[str(allowed)]) as executor:
        made = executor._work(
            ContainerTarget(image=IMAGE, mounts=(Mount(source=str(place), target="/x"),), pull="never")
        )
        place.rmdir()
        place.symlink_to("/etc")
        attempt, log = make_attempt(shell("cat /x/passwd"))
        outcome = await executor._runner.run(attempt, made)
    assert outcome.permanent
    assert outcome.error == f"{place}, to be mounted, has been replaced by a link"
    assert log.text() == ""


@pytest.mark.parametrize("reuse", [False, True])
async def test_the_network_that_the_worker_names(podman: Podman, reuse: bool) -> None:
    runner = make_runner(podman.socket)
    runner.network = "none"
    executor = ContainerExecutor(runner)
    try:
        outcome, log = await run(executor, "grep -c : /proc/net/dev", network=True, reuse=reuse)
    finally:
        await executor.close()
    assert (outcome.exit_code, log.text()) == (0, "1\n")
