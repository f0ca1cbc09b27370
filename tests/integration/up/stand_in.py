"""A stand-in for a child of `horae up`: `stand_in.py ROLE [manner …]`. It notes what happens to it in a file."""

import os
import signal
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

role, *manners = sys.argv[1:]
notes = Path(os.environ["HORAE_DATA_DIR"]) / "notes.txt"
stopped = threading.Event()


def note(event: str) -> None:
    with notes.open("a") as file:
        file.write(f"{role} {event} {os.getpid()} {time.monotonic()}\n")


class Health(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        note("asked")
        waits = "patient" in manners and not (notes.parent / "database").exists()
        self.send_response(503 if waits and self.path != "/health/live" else 200)
        self.end_headers()
        self.wfile.write(b'{"status":"healthy","service":"horae"}')

    def log_message(self, *_: object) -> None:
        pass


def terminate(*_: object) -> None:
    note("term")
    stopped.set()


def interrupt(*_: object) -> None:
    note("int")


signal.signal(signal.SIGTERM, signal.SIG_IGN if "stubborn" in manners else terminate)
signal.signal(signal.SIGINT, interrupt)
note("start")
if (notes.parent / "client.json").exists():
    note("finds-client.json")
print(f"{role} says hello", flush=True)
if "misconfigured" in manners:
    print(f"horae: HORAE_{role.upper()} is wrong", file=sys.stderr, flush=True)
    sys.exit(2)
if "crash" in manners:
    sys.exit(1)
if "litter" in manners:
    left = subprocess.Popen(["sleep", "1000"], start_new_session=True)
    print(f"left {left.pid}", flush=True)
if "environment" in manners:
    for name, value in sorted(os.environ.items()):
        if name.startswith("HORAE_"):
            print(f"{name}={value}", flush=True)
if "flood" in manners:
    for n in range(60_000):
        print(f"line {n} {'x' * 60}")
    sys.stdout.write("y" * 200_000)
    sys.stdout.flush()
    note("flooded")
if role == "serve":
    server = HTTPServer((os.environ.get("HORAE_HOST", "127.0.0.1"), int(os.environ["HORAE_PORT"])), Health)
    threading.Thread(target=server.serve_forever, daemon=True).start()
while not stopped.wait(0.05):
    pass
if "slow" in manners:
    stopped.clear()
    stopped.wait(60)
print(f"{role} says goodbye", flush=True)
note("end")
os._exit(0)
