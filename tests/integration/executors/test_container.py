"""Containers with a real Podman: their input, their outcome, and that nothing of them remains."""

import asyncio

import pytest

from horae.domain.runs.states import AttemptOutcome, StopReason
from tests.integration.executors.attempts import Log, make_attempt, running
from tests.integration.executors.containers import executor_on, run, shell
from tests.waiting import until

pytestmark = pytest.mark.usefixtures("nothing_is_left")


# ---- what it gets


async def test_stdout_and_stderr_are_separate_and_exit_code_0_is_success(container):
    outcome, log = await run(container, "echo out; echo err >&2; printf 'a\\0b\\377'")
    assert (outcome.kind, outcome.exit_code, outcome.error) == (AttemptOutcome.SUCCEEDED, 0, None)
    assert (log.text(), log.text("stderr")) == ("out\na\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}", "err\n")


async def test_without_a_command_the_image_s_own_runs(container):
    attempt, log = make_attempt({"kind": "container", "image": shell("")["image"], "network": False})
    await container.execute(attempt)
    assert log.text() == "by default\n"


async def test_entrypoint_environment_folder_and_user(container):
    outcome, log = await run(
        container,
        "",
        entrypoint=["/bin/sh", "-c", "echo $0 $FROM_IMAGE $WHO $PWD $(id -u)", "zero"],
        command=[],
        env={"WHO": "{{ job.name }}/{{ run.attempt }}"},
        cwd="/etc",
        user="1234",
    )
    assert outcome.error is None
    assert log.text() == "zero yes a job/1 /etc 1234\n"


async def test_the_environment_describes_the_run(container):
    _, log = await run(container, "env | grep ^HORAE_ | sort")
    assert log.text().splitlines() == [
        "HORAE_ATTEMPT=1",
        "HORAE_JOB_NAME=a job",
        "HORAE_RESULT=/.horae/result",
        "HORAE_RUN_ID=0195-run",
        "HORAE_SCHEDULED_FOR=2026-03-01T12:00:00Z",
        "HORAE_TRIGGER=schedule",
    ]


async def test_the_input_is_on_standard_input_and_ends(container):
    _, log = await run(container, "cat; echo .", input='{"n":1}')
    assert log.text() == '{"n":1}.\n'


async def test_without_input_standard_input_is_empty(container):
    _, log = await run(container, "cat; echo .")
    assert log.text() == ".\n"


@pytest.mark.parametrize("length", [1, 1_000_000])
async def test_unread_input_is_harmless(container, length):
    outcome, log = await run(container, "echo done", input='"' + "x" * length + '"')
    assert (outcome.kind, log.text(), log.text("stderr")) == (AttemptOutcome.SUCCEEDED, "done\n", "")


async def test_no_network_unless_asked_for(container):
    _, log = await run(container, "ls /sys/class/net")
    assert log.text() == "lo\n"


async def test_capabilities_are_dropped_and_none_can_be_gained(container):
    _, log = await run(container, "grep -E 'NoNewPrivs|CapBnd' /proc/self/status")
    bounding, privileges = (int(line.split()[1], 16) for line in log.text().splitlines())
    assert privileges == 1
    kept = {0, 1, 3, 4, 5, 6, 7, 10}  # CHOWN DAC_OVERRIDE FOWNER FSETID KILL SETGID SETUID NET_BIND_SERVICE
    assert {number for number in range(64) if bounding >> number & 1} == kept


# ---- what comes of it


@pytest.mark.parametrize("user", [None, "1234"])
async def test_the_result_is_json_in_a_file(container, user):
    outcome, _ = await run(container, """echo '{"rows": 3}' > "$HORAE_RESULT" """, user=user)
    assert (outcome.kind, outcome.result) == (AttemptOutcome.SUCCEEDED, '{"rows": 3}')


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ("echo nope > $HORAE_RESULT", "the result is not JSON"),
        ("head -c 100000 /dev/zero | tr '\\0' 1 > $HORAE_RESULT", "the result is longer than 64 KiB"),
        ("head -c 9000000 /dev/zero | tr '\\0' 1 > $HORAE_RESULT", "the result is longer than 64 KiB"),
        ("rm $HORAE_RESULT; mkdir $HORAE_RESULT", "the result is not a file"),
        ("rm $HORAE_RESULT; mkfifo $HORAE_RESULT", "the result is not a file"),
    ],
)
async def test_a_bad_result_is_a_permanent_failure(container, source, complaint):
    outcome, _ = await run(container, source)
    assert (outcome.kind, outcome.permanent) == (AttemptOutcome.FAILED, True)
    assert complaint in (outcome.error or "")


async def test_a_removed_result_file_means_no_result(container):
    outcome, _ = await run(container, "rm $HORAE_RESULT")
    assert (outcome.kind, outcome.result) == (AttemptOutcome.SUCCEEDED, None)


async def test_the_exit_code_is_reported(container):
    outcome, _ = await run(container, "echo 1 > $HORAE_RESULT; exit 7")
    assert (outcome.kind, outcome.exit_code, outcome.error) == (AttemptOutcome.FAILED, 7, "exit code 7")
    assert (outcome.result, outcome.permanent) == ("1\n".strip(), False)


async def test_out_of_memory_is_reported_as_such(container):
    outcome, _ = await run(container, "exec tail /dev/zero", limits={"memory": "32MiB"})
    assert (outcome.kind, outcome.exit_code) == (AttemptOutcome.FAILED, 137)
    assert "out of memory" in (outcome.error or "")
    assert "32 MiB" in (outcome.error or "")


async def test_too_many_processes_are_refused_inside(container):
    outcome, log = await run(
        container, "for i in 1 2 3 4 5 6 7 8 9; do sleep 9 & done; echo done", limits={"processes": 5}
    )
    assert "can't fork" in log.text("stderr")
    assert outcome.exit_code == 2


async def test_processors_are_limited(container):
    _, log = await run(
        container,
        "cat /sys/fs/cgroup/cpu.max 2>/dev/null || cat /sys/fs/cgroup/cpu/cpu.cfs_quota_us",
        limits={"cpus": 0.25},
    )
    assert log.text().split()[0] == "25000"


async def test_a_flood_without_newlines_stays_bounded(container):
    log = Log(limit=1 << 16)
    attempt, _ = make_attempt(shell("yes | tr -d '\\n' | head -c 30000000"), log=log)
    outcome = await container.execute(attempt)
    assert outcome.kind is AttemptOutcome.SUCCEEDED
    assert log.seen == 30_000_000


# ---- bad input


@pytest.mark.parametrize(
    ("target", "complaint"),
    [
        ({"image": "localhost/nothing:1"}, "the image localhost/nothing:1 is not on this worker, and pull is never"),
        ({"entrypoint": ["/nope"]}, "the container cannot be started"),
        ({"entrypoint": ["/etc"]}, "the container cannot be started"),
        ({"user": "nobody-here"}, "the container cannot be started"),
        ({"env": {"A": "{{ input.x }}"}}, "env.A cannot be filled in"),
        ({"mounts": [{"source": "/etc", "target": "/x"}]}, "this worker allows no mounts"),
    ],
)
async def test_invalid_containers_are_refused_permanently(container, target, complaint):
    outcome, _ = await run(container, "true", **target)
    assert (outcome.kind, outcome.permanent) == (AttemptOutcome.FAILED, True)
    assert complaint in (outcome.error or "")


@pytest.mark.parametrize("socket", [None, "/nowhere/podman.sock"])
async def test_a_service_that_is_away_is_worth_another_try(socket):
    async with executor_on(socket) as executor:
        outcome, _ = await run(executor, "true")
    assert (outcome.kind, outcome.permanent) == (AttemptOutcome.FAILED, False)
    assert "socket" in (outcome.error or "") or "is not responding" in (outcome.error or "")


# ---- the end


@pytest.mark.parametrize("reason", [StopReason.CANCEL, StopReason.TIMEOUT, StopReason.SHUTDOWN])
async def test_it_is_asked_to_end_first(container, reason):
    attempt, log = make_attempt(shell("trap 'echo tidied; exit 3' TERM; echo up; while :; do sleep 0.1; done"))
    async with running(container, attempt) as it:
        await until(lambda: "up" in log.text())
        it.stop(reason)
        assert await it.is_stopped()
    assert log.text() == "up\ntidied\n"
    assert log.text("system") == f"{reason}: sent TERM\n"


async def test_what_ignores_term_is_killed_after_the_grace(container):
    attempt, log = make_attempt(shell("trap '' TERM; echo up; while :; do sleep 0.1; done"), grace=0.2)
    async with running(container, attempt) as it:
        await until(lambda: "up" in log.text())
        it.stop(StopReason.TIMEOUT)
        assert await it.is_stopped()
    assert log.text("system") == "timeout: sent TERM\ntimeout: sent KILL\n"


async def test_a_lost_lease_kills_at_once(container):
    attempt, log = make_attempt(shell("trap 'echo tidied' TERM; echo up; while :; do sleep 0.1; done"))
    async with running(container, attempt) as it:
        await until(lambda: "up" in log.text())
        it.stop(StopReason.LEASE_LOST)
        assert await it.is_stopped()
    assert log.text() == "up\n"


@pytest.mark.parametrize("moment", [0, 0.03, 0.1, 0.25])
async def test_it_can_be_stopped_at_any_moment(container, moment):
    attempt, _ = make_attempt(shell("sleep 60"), grace=0)
    async with running(container, attempt) as it:
        await asyncio.wait([it.task], timeout=moment)
        it.stop(StopReason.CANCEL)
        assert await it.is_stopped()


async def test_many_at_a_time(container):
    outcomes = await asyncio.gather(*(run(container, f"echo {n} | tee $HORAE_RESULT") for n in range(8)))
    assert [outcome.result for outcome, _ in outcomes] == [str(n) for n in range(8)]
