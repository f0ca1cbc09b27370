"""Scripts as real processes: what they get and how they end."""

import json
import os
import shlex
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from horae.domain.runs.outcome import Outcome
from horae.domain.runs.states import AttemptOutcome
from horae.executors.script import ScriptExecutor
from tests.integration.executors.attempts import make_attempt
from tests.integration.executors.scripts import ENVIRONMENT, run

_GLIBC = 0b11 << 31  # signals 32 and 33 are its own: no one can set them, and some parents leave them ignored


class TestWhatItGets:
    async def test_succeeds_with_its_output(self, script: ScriptExecutor) -> None:
        outcome, log = await run(script, "echo out; echo err >&2")
        assert outcome == Outcome(AttemptOutcome.SUCCEEDED, exit_code=0)
        assert (log.text(), log.text("stderr"), log.text("system")) == ("out\n", "err\n", "")

    async def test_environment_is_clean(self, script: ScriptExecutor) -> None:
        _, log = await run(script, "env -0 | tr '\\0\\n' '\\n_'", env={"OWN": "mine", "HORAE_RUN_ID": "forged"})
        seen = dict(line.split("=", 1) for line in log.text().splitlines())
        for name in ("PWD", "SHLVL", "_", "OLDPWD"):  # bash's own
            seen.pop(name, None)
        result = seen.pop("HORAE_RESULT")
        assert result.endswith("/result")
        assert seen == {
            "PATH": ENVIRONMENT["PATH"],
            "HOME": "/",
            "LANG": "C.UTF-8",
            "OWN": "mine",
            "HORAE_RUN_ID": "0195-run",
            "HORAE_JOB_NAME": "a job",
            "HORAE_ATTEMPT": "1",
            "HORAE_SCHEDULED_FOR": "2026-03-01T12:00:00Z",
            "HORAE_TRIGGER": "schedule",
        }

    async def test_arguments_are_not_read_by_a_shell(self, script: ScriptExecutor) -> None:
        args = ["a b", "$(id)", "'", '"', "-c", "", "ü"]
        _, log = await run(script, 'for a in "$@"; do echo "[$a]"; done', args=args)
        assert log.text().splitlines() == [f"[{arg}]" for arg in args]

    @pytest.mark.parametrize("size", [0, 10, 1_000_000])
    async def test_input_comes_on_standard_input(self, script: ScriptExecutor, size: int) -> None:
        text = json.dumps({"text": "x" * size})
        _, log = await run(script, "cat", input=text)
        assert log.text() == text

    async def test_without_input_standard_input_is_empty(self, script: ScriptExecutor) -> None:
        outcome, log = await run(script, "cat; echo end")
        assert (outcome.exit_code, log.text()) == (0, "end\n")

    async def test_input_may_be_left_unread(self, script: ScriptExecutor) -> None:
        outcome, _ = await run(script, "exit 0", input='"' + "x" * 900_000 + '"')
        assert outcome.kind is AttemptOutcome.SUCCEEDED

    async def test_source_may_be_long(self, script: ScriptExecutor) -> None:
        _, log = await run(script, "# " + "x" * 900_000 + "\necho end")
        assert log.text() == "end\n"

    async def test_source_is_not_for_others_to_see(self, script: ScriptExecutor) -> None:
        source = 'stat -c %a "$0" "$(dirname "$0")"; tr "\\0" " " < /proc/$$/cmdline'
        _, log = await run(script, source)
        assert log.text().startswith("600\n700\n")
        assert "stat" not in log.text()

    @pytest.mark.parametrize(
        ("interpreter", "source"),
        [
            ("bash", 'echo "${BASH_VERSION:+yes}"'),
            ("sh", "echo yes"),
            ("python", "print('yes')"),
            (sys.executable, "print('yes')"),
        ],
    )
    async def test_interpreters(self, script: ScriptExecutor, interpreter: str, source: str) -> None:
        _, log = await run(script, source, interpreter=interpreter)
        assert log.text() == "yes\n"

    async def test_file_in_a_folder(self, script: ScriptExecutor, tmp_path: Path) -> None:
        (tmp_path / "job.sh").write_text('pwd; echo "$1"')
        target = {"kind": "script", "file": "job.sh", "cwd": str(tmp_path), "args": ["x"]}
        attempt, log = make_attempt(target)
        outcome = await script.execute(attempt)
        assert (outcome.exit_code, log.text()) == (0, f"{tmp_path}\nx\n")

    async def test_without_an_occurrence(self, script: ScriptExecutor) -> None:
        source = 'set -u; echo "[$HORAE_SCHEDULED_FOR] $HORAE_TRIGGER $HORAE_ATTEMPT"'
        attempt, log = make_attempt({"kind": "script", "source": source}, scheduled=False, number=3)
        await script.execute(attempt)
        assert log.text() == "[] api 3\n"

    async def test_starts_at_home(self, script: ScriptExecutor) -> None:
        _, log = await run(script, "pwd")
        assert log.text() == "/\n"

    async def test_has_no_files_open_but_its_own(self, script: ScriptExecutor) -> None:
        source = "import os; print(sorted(os.listdir('/proc/self/fd')))"
        _, log = await run(script, source, interpreter="python")
        assert log.text() == "['0', '1', '2', '3']\n", "and the one of the listing itself"

    async def test_has_no_priority_of_its_keeper(self, script: ScriptExecutor) -> None:
        source = "import os; print(os.sched_getscheduler(0), os.getpriority(os.PRIO_PROCESS, 0))"
        _, log = await run(script, source, interpreter="python")
        assert log.text() == f"{os.SCHED_OTHER} {os.getpriority(os.PRIO_PROCESS, 0)}\n"

    async def test_ignores_no_signals(self, script: ScriptExecutor) -> None:
        """Not even those that a shell ignores in what it starts in the background."""
        before = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGQUIT, signal.SIGUSR2)}
        try:
            _, log = await run(script, "grep -E 'Sig(Ign|Blk)' /proc/self/status")
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
        masks = {
            name: int(mask, 16) & ~_GLIBC for name, mask in (line.split(":\t") for line in log.text().splitlines())
        }
        assert masks == {"SigBlk": 0, "SigIgn": 0}

    async def test_variables_are_templates(self, script: ScriptExecutor) -> None:
        env = {"WHO": "{{ input.name }} by {{ job.name }}", "TOKEN": "{{ secrets.API }}", "PLAIN": "$HOME {x}"}
        target = {"kind": "script", "source": 'echo "$WHO, $TOKEN, $PLAIN"', "env": env}
        attempt, log = make_attempt(target, input='{"name": "Ada; exit 1"}')
        attempt.secrets = {"API": "s3cret"}
        assert (await script.execute(attempt)).exit_code == 0
        assert log.text() == "Ada; exit 1 by a job, s3cret, $HOME {x}\n"


class TestHowItEnds:
    async def test_exit_code(self, script: ScriptExecutor) -> None:
        outcome, _ = await run(script, "exit 3")
        assert (outcome.kind, outcome.error, outcome.exit_code) == (AttemptOutcome.FAILED, "exit code 3", 3)
        assert not outcome.permanent

    async def test_signal(self, script: ScriptExecutor) -> None:
        outcome, _ = await run(script, "kill -TERM $$")
        assert (outcome.error, outcome.exit_code) == ("killed by signal TERM", 143)

    @pytest.mark.parametrize(
        ("target", "error"),
        [
            ({"interpreter": "/no/such"}, "the interpreter /no/such does not exist on this worker"),
            ({"interpreter": "/etc/passwd"}, "the interpreter /etc/passwd is not executable on this worker"),
            ({"cwd": "/no/such"}, "the folder /no/such does not exist on this worker"),
            ({"cwd": "/etc/passwd"}, "the folder /etc/passwd does not exist on this worker"),
            ({"source": None, "file": "/no/such"}, "the file /no/such does not exist on this worker"),
        ],
    )
    async def test_a_script_that_cannot_be_started_fails_permanently(
        self, script: ScriptExecutor, target: dict[str, Any], error: str
    ) -> None:
        attempt, _ = make_attempt({"kind": "script", "source": "true", **target})
        outcome = await script.execute(attempt)
        assert (outcome.kind, outcome.error, outcome.permanent) == (AttemptOutcome.FAILED, error, True)

    @pytest.mark.parametrize(
        ("text", "error"),
        [
            ("{{ input.name }}", "env.WHO cannot be filled in: "),
            ('{{ input["\\u0000"] }}', "env.WHO has a NUL character"),
        ],
    )
    async def test_variables_that_cannot_be_filled_in(self, script: ScriptExecutor, text: str, error: str) -> None:
        target = {"kind": "script", "source": "true", "env": {"WHO": text}}
        attempt, _ = make_attempt(target, input='{"\\u0000": "\\u0000"}')
        outcome = await script.execute(attempt)
        assert outcome.permanent
        assert str(outcome.error).startswith(error)

    async def test_too_many_arguments(self, script: ScriptExecutor) -> None:
        outcome, _ = await run(script, "true", args=["x" * 200_000])
        assert outcome.permanent
        assert "Argument list too long" in str(outcome.error)

    @pytest.mark.parametrize("text", ['{"rows": 3}', " [1, 2]\n", "null", '"ü"'])
    async def test_result(self, script: ScriptExecutor, text: str) -> None:
        outcome, _ = await run(script, f'printf %s {shlex.quote(text)} > "$HORAE_RESULT"')
        assert (outcome.kind, outcome.result) == (AttemptOutcome.SUCCEEDED, text.strip())

    @pytest.mark.parametrize(
        ("source", "error"),
        [
            ('echo "{rows: 3}" > "$HORAE_RESULT"', "the result is not JSON"),
            ('head -c 70000 /dev/zero | tr "\\0" 1 > "$HORAE_RESULT"', "the result is longer than 64 KiB"),
            ('printf "\\"\\377\\"" > "$HORAE_RESULT"', "the result is not JSON"),
            ('ln -s /etc/passwd "$HORAE_RESULT"', "the result cannot be read"),
            ('mkfifo "$HORAE_RESULT"', "the result is not a file"),
            ('mkdir -p "$HORAE_RESULT/deep"', "the result is not a file"),
        ],
    )
    async def test_bad_results(self, script: ScriptExecutor, source: str, error: str) -> None:
        outcome, _ = await run(script, source)
        assert outcome.kind is AttemptOutcome.FAILED
        assert outcome.permanent
        assert str(outcome.error).startswith(error)

    async def test_result_of_a_failure_is_kept(self, script: ScriptExecutor) -> None:
        outcome, _ = await run(script, 'echo 7 > "$HORAE_RESULT"; exit 1')
        assert (outcome.error, outcome.result) == ("exit code 1", "7")


async def test_it_goes_first_when_the_machine_is_out_of_memory(script: ScriptExecutor) -> None:
    """Also where the processes that start it are closed to all but root."""
    outcome, _ = await run(script, 'until [ "$(cat /proc/$$/oom_score_adj)" = 500 ]; do sleep 0.01; done')
    assert outcome.exit_code == 0
