"""Reports: output, progress, outcomes, lost replies, and no secrets in any of them."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from urllib.parse import quote

from horae.conformance.check import check
from horae.conformance.controller import LOG_LIMIT
from horae.conformance.runs import HandedRun, script
from horae.conformance.stage import Stage, Violated

_SECRET = 'p4ss/w?rd "qu&ted" zebra'


@check("report-reply-lost", "Send the same outcomes again, before anything else about these runs.")
async def report_reply_lost(stage: Stage) -> None:
    fault = stage.controller.misbehave("report", when=lambda request, answer: bool(request.get("outcomes")))
    await stage.start()
    run = await stage.carried_out(script("echo hello"), "succeeded")
    await stage.until(lambda: len(run.sent_outcomes) > 1, "send the outcome again after a lost reply")
    await stage.during(1, lambda: len(run.sent_outcomes) > 2, "it sent the outcome again after it was answered")
    if fault.times or len({(one["kind"], one["token"], one.get("exit_code")) for one in run.sent_outcomes}) != 1:
        raise Violated("the second outcome differs from the first")


@check("log-reply-lost", "chunks that are known are ignored")
async def log_reply_lost(stage: Stage) -> None:
    stage.controller.misbehave("report", times=2, when=lambda request, answer: bool(request.get("logs")))
    await stage.start()
    run = await stage.carried_out(script("for i in 1 2 3 4 5; do echo $i; sleep 0.4; done"), "succeeded")
    if run.text() != "1\n2\n3\n4\n5\n":
        raise Violated(f"the output was {run.text()!r}")


@check("logs-in-order", "`seq` counts from 1 in each attempt and grows with every chunk, in the order of the output.")
async def logs_in_order(stage: Stage) -> None:
    await stage.start()
    run = await stage.carried_out(script("for i in $(seq 20000); do echo $i; done; echo oops >&2"), "succeeded")
    if run.text() != "".join(f"{number}\n" for number in range(1, 20_001)):
        raise Violated("the output is not what the script wrote")
    if run.text("stderr") != "oops\n":
        raise Violated(f"stderr is {run.text('stderr')!r}")
    if min(run.chunks) != 1:
        raise Violated(f"the first seq is {min(run.chunks)}")


@check("logs-live", "*renews* the leases of what it holds, and *reports* output and outcomes.")
async def logs_live(stage: Stage) -> None:
    await stage.start()
    run = stage.controller.queue(script("echo early; sleep 4; echo late"))
    await stage.until(lambda: "early" in run.text(), "send output")
    if run.over:
        raise Violated("output was sent only when the run was over")
    await stage.ended(run)


@check("logs-odd-bytes", "`text` has 1–65,536 characters and need not end with a line.")
async def logs_odd_bytes(stage: Stage) -> None:
    await stage.start()
    run = await stage.carried_out(script(r"printf 'a\000b\377c \303'; sleep 0.3; printf '\244 no end'"), "succeeded")
    if "ä no end" not in run.text():
        raise Violated(f"the output was {run.text()!r}")


@check("logs-bounded", "A body has at most `max_body_bytes` (16 MiB) after decompression;")
async def logs_bounded(stage: Stage) -> None:
    await stage.start()
    run = await stage.carried_out(script("head -c 3000000 /dev/zero | tr '\\0' '\\033'; echo; echo end"), "succeeded")
    if len(run.text()) < LOG_LIMIT / 2:
        raise Violated(f"of 3,000,000 characters of output it sent {len(run.text()):,}")


@check("log-full", "nothing more of their output is kept: `log_limit` is reached, or the project's quota for today.")
async def log_full(stage: Stage) -> None:
    stage.controller.log_full_from = 10
    await stage.start()
    run = await stage.carried_out(script("for i in $(seq 20); do echo line $i; sleep 0.2; done"), "succeeded")
    if len(run.chunks) > 4:
        raise Violated(f"it sent {len(run.chunks)} chunks, though the first answer said that the log is full")


@check("progress", "the newest replaces earlier ones")
async def progress(stage: Stage) -> None:
    await stage.start()
    source = "echo '::progress 0.25 a quarter'; sleep 1; echo '::progress 80%'; sleep 0.5; echo plain"
    run = await stage.carried_out(script(source), "succeeded")
    if not run.progress or abs(run.progress[-1]["fraction"] - 0.8) > 1e-9:
        raise Violated(f"its progress was {run.progress}")
    if run.text() != "plain\n":
        raise Violated(f"the output was {run.text()!r}")


@check("refused-outcome", "if it is about one outcome, report that run as `failed`, and the others without it")
async def refused_outcome(stage: Stage) -> None:
    errors = {"errors": [{"path": "outcomes.0.result", "message": "is not JSON"}]}
    stage.controller.misbehave(
        "report",
        times=1_000,
        status=422,
        kind="invalid-input",
        more=errors,
        when=lambda request, answer: any(one["kind"] == "succeeded" for one in request.get("outcomes", [])),
    )
    await stage.start()
    await stage.carried_out(script("echo 1 > $HORAE_RESULT"), "failed")


# ---- secrets


def _forms() -> dict[str, str]:
    raw = _SECRET.encode()
    return {
        "plain": _SECRET,
        "base64": base64.b64encode(raw).decode(),
        "URL": quote(_SECRET, safe=""),
        "JSON": json.dumps(_SECRET)[1:-1],
    }


def _told(stage: Stage, run: HandedRun) -> None:
    sent = _everything(stage, run)
    for form, text in _forms().items():
        if text in sent:
            raise Violated(f"the secret was sent ({form})")
        if text in stage.printed():
            raise Violated(f"the agent logged the secret ({form})")


def _everything(stage: Stage, run: HandedRun) -> str:
    """All texts that it sent: whole, and output also as it reads when chunks are joined."""
    texts = [run.text(), run.text("stderr")]
    for request in stage.controller.of("report"):
        for outcome in request.body.get("outcomes", []):
            texts += [str(outcome.get(name) or "") for name in ("result", "error", "traceback")]
            if outcome.get("result"):
                texts.append(str(json.loads(outcome["result"])))
        texts += [str(told.get("note") or "") for told in request.body.get("progress", [])]
    return "\n".join(texts)


@check("redaction", "Before it leaves the agent, every value of `secrets` is replaced by `***`")
async def redaction(stage: Stage) -> None:
    await stage.start()
    source = """
        echo "it is <$KEY>"; echo "on stderr $KEY" >&2; echo "::progress 0.5 with $KEY"
        printf %s "$KEY" | base64 -w0; echo
        printf '{"key": "%s", "plain": "%s"}' "$ESCAPED" "$ESCAPED" > $HORAE_RESULT; cat $HORAE_RESULT
    """
    env = {"KEY": "{{ secrets.KEY }}", "ESCAPED": "{{ secrets.ESCAPED }}"}
    secrets = {"KEY": _SECRET, "ESCAPED": json.dumps(_SECRET)[1:-1]}
    run = await stage.carried_out(script(source, env=env, secrets=secrets), "succeeded")
    _told(stage, run)
    if "it is <" not in run.text():
        raise Violated("the rest of the output is missing")


@check("redaction-split", "also where it is split between two chunks, and in its usual encodings: base64, URL and JSON")
async def redaction_split(stage: Stage) -> None:
    await stage.start()
    source = 'printf %s "${KEY:0:9}"; sleep 1.5; printf %s "${KEY:9}"; echo; echo end'
    run = await stage.carried_out(
        script(source, env={"KEY": "{{ secrets.KEY }}"}, secrets={"KEY": _SECRET}), "succeeded"
    )
    _told(stage, run)


@check("secrets-in-arguments", "Write the values in `secrets` to no file, log or argument list")
async def secrets_in_arguments(stage: Stage) -> None:
    await stage.start()
    run = script("sleep 3", env={"KEY": "{{ secrets.KEY }}"}, secrets={"KEY": _SECRET})
    stage.controller.queue(run)
    await stage.until(lambda: run.token, "claim")
    while not run.over:
        if any(_SECRET.encode() in _arguments(pid) for pid in Path("/proc").iterdir()):
            raise Violated("the secret is among the arguments of a process")
        await stage.controller.wait(0.1)
    _told(stage, run)


def _arguments(process: Path) -> bytes:
    try:
        return (process / "cmdline").read_bytes()
    except OSError:
        return b""
