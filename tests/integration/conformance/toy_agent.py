"""A toy agent: scripts only, one file, just good enough for the checks in test_suite.py, with a flaw on request. It
shows that the conformance suite can fail, and nothing else."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
import uuid
from pathlib import Path
from typing import Any

FLAW = sys.argv[1] if len(sys.argv) > 1 else ""
URL, KEY = os.environ["HORAE_URL"], os.environ["HORAE_WORKER_KEY"]
NEVER = threading.Event()
SLOTS = 2


class Problem(Exception):
    def __init__(self, status: int, kind: str, pause: float) -> None:
        super().__init__(f"{status} {kind}")
        self.status, self.kind, self.pause = status, kind, pause


class Toy:
    def __init__(self) -> None:
        self.instance = str(uuid.uuid4())
        self.terms: dict[str, Any] = {}
        self.held: dict[str, dict[str, Any]] = {}  # by run: token, until, why
        self.stopping = threading.Event()
        self.draining = False
        self.closed_until = 0.0
        self.token: str | None = None  # of the claim that is open

    # ---- requests

    def send(self, verb: str, body: dict[str, Any], patience: float = 30) -> Any:
        NEVER.wait(max(self.closed_until - time.monotonic(), 0))
        request = urllib.request.Request(
            f"{URL}/api/v1/worker/{verb}",
            json.dumps(body).encode(),
            {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json", "Horae-Worker-Protocol": "1"},
        )
        try:
            with urllib.request.urlopen(request, timeout=patience) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            told = json.load(error)
            if error.code == 401:
                self.closed_until = time.monotonic() + (0 if FLAW == "hammers-when-revoked" else 30)
                for run in list(self.held):
                    self.end(run, "lost")
            raise Problem(error.code, told["title"], float(error.headers.get("Retry-After", 0))) from None

    def insist(self, verb: str, body: dict[str, Any]) -> Any:
        while True:
            try:
                return self.send(verb, {**body, "worker_id": self.terms["worker_id"]})
            except Problem as problem:
                self.recover(problem)
                NEVER.wait(0.2 if FLAW == "ignores-retry-after" else max(problem.pause, 0.2))
            except OSError:
                if FLAW == "forgets-reports" and verb == "report":
                    return {}
                NEVER.wait(0.2)
                if verb == "claim":
                    body = self.again(body)

    def again(self, claim: dict[str, Any]) -> dict[str, Any]:
        if FLAW == "claims-anew":
            return {**claim, "token": str(uuid.uuid4())}
        return claim if FLAW == "never-says-again" else {**claim, "again": True}

    def recover(self, problem: Problem) -> None:
        if problem.kind in ("unknown-worker", "unsupported-protocol"):
            self.register()

    def register(self) -> None:
        body: dict[str, Any] = {
            "instance": self.instance,
            "protocols": [1],
            "version": "toy 1",
            "offers": ["script"],
            "slots": SLOTS,
        }
        if FLAW == "says-more":
            body["favourite_colour"] = "green"
        while True:
            try:
                self.terms = self.send("register", body)
                return
            except OSError:
                if FLAW == "changes-instance":
                    body["instance"] = str(uuid.uuid4())
                NEVER.wait(0.1)

    # ---- work

    def work(self) -> None:
        self.register()
        for loop in (self.renew, self.watch, self.claim):
            threading.Thread(target=loop, daemon=True).start()
        signal.signal(signal.SIGTERM, lambda *_: self.stopping.set())
        while not self.stopping.wait(0.05):
            pass
        self.draining = True
        if self.token is not None and FLAW != "leaves-claims":
            self.insist("claim", {"token": self.token, "again": True, "slots": 0, "wait": 0, "status": "draining"})
        while self.held:
            NEVER.wait(0.05)
        if FLAW != "leaves-silently":
            self.insist("goodbye", {})

    def claim(self) -> None:
        while not self.draining:
            free = SLOTS if FLAW == "overbooks" else SLOTS - len(self.held)
            if free <= 0:
                NEVER.wait(0.05)
                continue
            body = {"slots": free, "wait": 0 if FLAW == "polls" else 15, "busy": len(self.held)}
            if FLAW == "polls":
                NEVER.wait(0.1)
            self.token = str(uuid.uuid4())
            sent = time.monotonic()
            answer = self.insist("claim", {**body, "token": self.token})
            token, self.token = self.token, None
            if FLAW == "claims-anew" and answer["runs"]:
                continue
            self.take(answer, token, sent)

    def take(self, answer: Any, token: str, sent: float) -> None:
        jobs = {job["job_id"]: job for job in answer["jobs"]}
        for run in answer["runs"]:
            job = jobs[run["job_id"]]
            known = {"kind", "interpreter", "source", "env"} >= set(job["definition"]["target"])
            if not known and FLAW != "reads-anything":
                self.insist("release", {"runs": [{"id": run["id"], "token": token, "unreadable": "unknown field"}]})
                continue
            until = sent + answer["waited_seconds"] + 0.8 * answer["lease_seconds"]
            self.held[run["id"]] = {"token": token, "until": until, "why": None}
            threading.Thread(target=self.execute, args=(run, job), daemon=True).start()

    def execute(self, run: dict[str, Any], job: dict[str, Any]) -> None:
        held = {"id": run["id"], "token": self.held[run["id"]]["token"]}
        outcome: dict[str, Any] = {**held, "duration_ms": 1_000}
        output = ("", "")
        if job["fault"] and FLAW != "ignores-faults":
            outcome |= {"kind": "failed", **job["fault"]}
        else:
            output, status = self.run_script(run, job)
            outcome |= self.meaning(run, status)
        if self.held[run["id"]]["why"] != "lost" or FLAW == "reports-lost":
            self.report(outcome, held, output, job["secrets"])
        del self.held[run["id"]]

    def run_script(self, run: dict[str, Any], job: dict[str, Any]) -> tuple[tuple[str, str], int]:
        values = job["secrets"]
        env = {"HORAE_RUN_ID": run["id"], "PATH": os.environ["PATH"]}
        for name, text in job["definition"]["target"]["env"].items():
            for secret, value in values.items():
                text = text.replace("{{ secrets." + secret + " }}", value)
            env[name] = text
        with subprocess.Popen(
            ["bash", "-c", job["definition"]["target"]["source"]],
            env={**env, "HORAE_RESULT": "/dev/null"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        ) as process:
            self.held[run["id"]]["pid"] = process.pid
            limit = threading.Timer(job["definition"]["timeout"], self.end, (run["id"], "timed_out"))
            limit.start()
            if FLAW == "ends-only-the-shell":  # what it left holds the pipes
                output, complaints, _ = b"", b"", process.wait()
            else:
                output, complaints = process.communicate()
            limit.cancel()
        return (output.decode(), complaints.decode()), process.returncode

    def meaning(self, run: dict[str, Any], status: int) -> dict[str, Any]:
        why = self.held[run["id"]]["why"]
        if why and FLAW != "calls-everything-failed":
            return {"kind": why if why != "lost" else "failed", "error": why}
        if status:
            return {"kind": "failed", "error": f"exit code {status}", "exit_code": status}
        return {"kind": "succeeded", "exit_code": 0}

    def report(self, outcome: Any, held: dict[str, Any], output: tuple[str, str], secrets: dict[str, str]) -> None:
        pieces = []
        for stream, text in zip(("stdout", "stderr"), output, strict=True):
            for value in () if FLAW == "leaks" else secrets.values():
                text = text.replace(value, "***")
            pieces += [(stream, text[at : at + 20_000]) for at in range(0, len(text), 20_000)]
        if FLAW == "mixes-up-logs":
            pieces.reverse()
        logs = [
            {**held, "seq": seq, "stream": stream, "text": text, "ms_ago": 0}
            for seq, (stream, text) in enumerate(pieces, 1)
        ]
        if FLAW == "logs-too-late":
            self.insist("report", {"outcomes": [outcome]})
            self.insist("report", {"logs": logs})
        else:
            self.insist("report", {"outcomes": [outcome], "logs": logs})

    def end(self, run: str, why: str) -> None:
        held = self.held.get(run)
        if held is None or (why == "cancelled" and FLAW == "ignores-cancel"):
            return
        held["why"] = held["why"] or why
        for pid in [held["pid"]] if FLAW == "ends-only-the-shell" else processes_of(run):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def renew(self) -> None:
        while True:
            NEVER.wait(self.terms["heartbeat_seconds"])
            runs = [{"id": run, "token": held["token"]} for run, held in list(self.held.items())]
            sent = time.monotonic()
            if not runs or FLAW == "never-renews":
                continue
            try:
                answer = self.send("renew", {"worker_id": self.terms["worker_id"], "runs": runs}, 2)
            except Problem as problem:
                self.recover(problem)
                continue
            except OSError:
                continue
            for run in answer["renewed"]:
                if run in self.held:
                    self.held[run]["until"] = sent + 0.8 * self.terms["lease_seconds"]
            for why, ids in (("cancelled", answer["cancel"]), ("lost", answer["lost"])):
                for run in ids:
                    if FLAW != "ignores-lost" or why != "lost":
                        self.end(run, why)

    def watch(self) -> None:
        while FLAW != "outlives-leases":
            for run, held in list(self.held.items()):
                if time.monotonic() >= held["until"]:
                    self.end(run, "lost")
            NEVER.wait(0.05)


def processes_of(run: str) -> list[int]:
    """All that have its id in their environment."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if f"HORAE_RUN_ID={run}".encode() in path.read_bytes():
                found.append(int(path.parent.name))
    return found


if __name__ == "__main__":
    Toy().work()
