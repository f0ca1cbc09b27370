"""One small class per kind of server: what to install, how to start it, and how to know that it is ready."""

from __future__ import annotations

import contextlib
import json
import os
import pwd
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, ClassVar

from machine import alive, answers, free_port, gone_within, install, own, signal_group, start_time, which

START_SECONDS = 60


class Missing(Exception):
    """The server is not on this machine and could not be put there."""


class Server:
    kind: ClassVar[str]
    title: ClassVar[str]
    package: ClassVar[str]  # of Debian
    account: ClassVar[str]  # the user whom the package creates, for when we are root
    stop_signal: ClassVar[signal.Signals] = signal.SIGTERM
    behind: ClassVar[str | None] = None  # the kind that it needs: it starts after that
    family: ClassVar[str]  # what tests call it, whichever version it is: the kind, unless it says otherwise
    variable: ClassVar[str]

    def __init_subclass__(cls) -> None:
        if "kind" in vars(cls):
            cls.family = vars(cls).get("family", cls.kind)
            cls.variable = f"HORAE_TEST_{cls.family.upper()}_URL"

    def __init__(self, home: Path, data: Path, *, fast: bool) -> None:
        self.fast = fast
        self.name = f"{self.kind}-fast" if fast else self.kind
        self.folder = data / self.name
        self.state_file = home / f"{self.name}.json"
        self.log_file = home / f"{self.name}.log"

    # what a kind answers

    def program(self) -> Path | None:
        """The server's executable, if it is on this machine."""
        raise NotImplementedError

    def prepare(self) -> None:
        """Fills the empty folder."""

    def command(self, port: int) -> list[str | Path]:
        raise NotImplementedError

    def environment(self, port: int) -> dict[str, str]:
        return {}

    def ready(self, port: int) -> bool:
        raise NotImplementedError

    def finish(self, port: int) -> None:
        """The last touch once it answers."""

    def url(self, port: int) -> str:
        raise NotImplementedError

    # finding and installing

    def find_or_install(self, *, may_install: bool) -> None:
        if self.program():
            return
        by_hand = f"install it (Debian: apt-get install {self.package}) or set {self.variable}"
        if not may_install or not shutil.which("apt-get"):
            raise Missing(f"not found; {by_hand}")
        print(f"Installing {self.package} …", file=sys.stderr)
        if not install(self.package) or not self.program():
            raise Missing(f"apt-get could not install {self.package}; {by_hand}")

    # starting and stopping

    def start(self) -> str:
        log = ""
        for _ in range(3):  # someone else may take the free port before the server does
            self.stop()  # one that runs and does not answer
            port = free_port()
            self.folder.mkdir(mode=0o700)
            own(self.folder, self.user())
            self.prepare()
            if self.wait_until_ready(self.launch(port), port):
                self.finish(port)
                return self.url(port)
            log = self.log_tail()
        self.stop()
        sys.exit(f"{self.title} did not start; the end of its log:\n{log}")

    def launch(self, port: int) -> subprocess.Popen[bytes]:
        with self.log_file.open("ab") as log:
            process = subprocess.Popen(
                self.command(port),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C is for the tests, not for their servers
                **self.run_as(port),
            )
        state = {"pid": process.pid, "started": start_time(process.pid), "url": self.url(port), "keep": False}
        self.write(state)
        return process

    def wait_until_ready(self, process: subprocess.Popen[bytes], port: int) -> bool:
        end = time.monotonic() + START_SECONDS
        while process.poll() is None and time.monotonic() < end:
            if self.ready(port):
                return True
            time.sleep(0.05)
        return False

    def stop(self) -> None:
        state = self.state()
        if state and alive(state["pid"], state["started"]):
            signal_group(state["pid"], self.stop_signal)
            if not gone_within(10, state):
                signal_group(state["pid"], signal.SIGKILL)
                gone_within(10, state)
        self.clear()

    def clear(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.state_file.unlink(missing_ok=True)
        self.log_file.unlink(missing_ok=True)

    def call(self, *command: str | Path) -> None:
        """A helper program of the server's, as its user; its words go to the log."""
        with self.log_file.open("ab") as log:
            code = subprocess.run(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, check=False, **self.run_as(0)
            ).returncode
        if code:
            sys.exit(f"{self.title}: {Path(command[0]).name} failed:\n{self.log_tail()}")

    def run_as(self, port: int) -> dict[str, Any]:
        """Servers refuse to run as root, or should not: then the user of the package, or `nobody`."""
        keep = {name: value for name, value in os.environ.items() if name in ("PATH", "TMPDIR", "TZ")}
        how: dict[str, Any] = {
            "cwd": self.folder,
            "env": {**keep, "HOME": str(self.folder), "LANG": "C.UTF-8"},
        }
        how["env"].update(self.environment(port))
        if user := self.user():
            how.update(user=user.pw_uid, group=user.pw_gid, extra_groups=[])
        return how

    def user(self) -> pwd.struct_passwd | None:
        if os.geteuid() != 0:
            return None
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(self.account)
        return pwd.getpwnam("nobody")

    # what is written down

    def state(self) -> dict[str, Any] | None:
        try:
            state = json.loads(self.state_file.read_text())
        except (OSError, ValueError):
            return None
        whole = isinstance(state, dict) and {"pid", "started", "url", "keep"} <= state.keys()
        return state if whole else None

    def write(self, state: dict[str, Any]) -> None:
        draft = self.state_file.with_suffix(".new")
        draft.write_text(json.dumps(state))
        draft.rename(self.state_file)

    def running(self) -> dict[str, Any] | None:
        state = self.state()
        if not state or not alive(state["pid"], state["started"]):
            return None
        port = int(state["url"].rsplit(":", 1)[1].split("/")[0])
        return state if self.ready(port) else None

    def running_url(self) -> str | None:
        state = self.running()
        return str(state["url"]) if state else None

    def kept(self) -> bool:
        state = self.running()
        return bool(state and state["keep"])

    def keep(self, keep: bool) -> None:
        if state := self.state():
            self.write({**state, "keep": keep})

    def status(self) -> dict[str, Any] | None:
        state = self.running()
        return {"name": self.name, "folder": str(self.folder), **state} if state else None

    def log_tail(self) -> str:
        try:
            return "\n".join(self.log_file.read_text(errors="replace").splitlines()[-15:])
        except OSError:
            return "(no log)"


# ---- the kinds


class PostgreSQL(Server):
    kind = "postgresql"
    title = "PostgreSQL"
    package = "postgresql"
    account = "postgres"
    stop_signal = signal.SIGQUIT  # at once: the folder goes anyway

    def program(self) -> Path | None:
        def version(path: Path) -> float:
            return float(path.parts[4])

        debian = sorted(Path("/usr/lib/postgresql").glob("[0-9]*/bin/postgres"), key=version)
        return debian[-1] if debian else which("postgres")

    def tool(self, name: str) -> Path:
        program = self.program()
        assert program
        return program.resolve().with_name(name)

    def prepare(self) -> None:
        options = ["--username=horae", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"]
        self.call(self.tool("initdb"), "--pgdata", self.folder / "data", *options)

    def command(self, port: int) -> list[str | Path]:
        settings = {
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": "",
            "max_connections": "300",
            "max_locks_per_transaction": "256",  # partitions are many
            "shared_buffers": "256MB",
            "max_wal_size": "2GB",
        }
        if self.fast:
            settings |= {"fsync": "off", "full_page_writes": "off", "max_wal_size": "256MB"}
            settings["dynamic_shared_memory_type"] = "mmap"  # in its folder: a killed server leaves nothing
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        return [self.tool("postgres"), "-D", self.folder / "data", "-p", str(port), *options]

    def ready(self, port: int) -> bool:
        asked = subprocess.run([self.tool("pg_isready"), "-qh127.0.0.1", f"-p{port}"], check=False)
        return asked.returncode == 0

    def finish(self, port: int) -> None:
        self.call(self.tool("createdb"), "-h", "127.0.0.1", "-p", str(port), "-U", "horae", "horae")

    def url(self, port: int) -> str:
        return f"postgresql://horae:horae@127.0.0.1:{port}/horae"


class MariaDB(Server):
    kind = "mysql"
    title = "MariaDB"
    package = "mariadb-server"
    account = "mysql"
    stop_signal = signal.SIGKILL  # an orderly stop flushes a folder that goes anyway

    def program(self) -> Path | None:
        return which("mariadbd") if which("mariadb-install-db") else None

    def prepare(self) -> None:
        first = self.folder / "first.sql"  # one statement per line, at each start
        first.write_text(
            "CREATE DATABASE IF NOT EXISTS horae;\n"
            "CREATE USER IF NOT EXISTS horae@'%' IDENTIFIED BY 'horae';\n"
            "GRANT ALL ON *.* TO horae@'%' WITH GRANT OPTION;\n"
        )
        first.chmod(0o644)
        self.initialize()

    def initialize(self) -> None:
        options = ["--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve"]
        if user := self.user():
            options.append(f"--user={user.pw_name}")
        self.call(*self.installer(), f"--datadir={self.folder / 'data'}", *options)

    def installer(self) -> list[str | Path]:
        program = which("mariadb-install-db")
        assert program
        return [program, "--no-defaults"]

    def command(self, port: int) -> list[str | Path]:
        flags = [f"--{name}={value}" for name, value in self.settings(port).items()]
        return [*self.start_of_command(), "--skip-name-resolve", *flags]

    def start_of_command(self) -> list[str | Path]:
        program = self.program()
        assert program
        return [program, "--no-defaults", f"--datadir={self.folder / 'data'}"]

    def settings(self, port: int) -> dict[str, object]:
        settings: dict[str, object] = {
            "init-file": self.folder / "first.sql",
            "pid-file": self.folder / "pid",
            "tmpdir": self.folder,  # a server that starts removes temporary tables of others from a shared one
            "socket": "horae.sock",  # in the data folder: a full path may be too long for a socket
            "bind-address": "127.0.0.1",
            "port": port,
            "max-connections": 300,
            "character-set-server": "utf8mb4",
            "innodb-buffer-pool-size": "512M",
            "innodb-log-file-size": "256M",
            "innodb-flush-log-at-trx-commit": 2 if self.fast else 1,
        }
        if self.fast:
            settings["innodb-flush-method"] = "nosync"
        return settings

    def ready(self, port: int) -> bool:
        return answers(port, greets=b"\x0a")  # protocol 10: the first packet of a server that lets us in

    def url(self, port: int) -> str:
        return f"mysql://horae:horae@127.0.0.1:{port}/horae"


class Redis(Server):
    kind = "redis"
    title = "Redis"
    package = "redis-server"
    account = "redis"

    def program(self) -> Path | None:
        return which("redis-server")

    def command(self, port: int) -> list[str | Path]:
        program = self.program()
        assert program
        durable = ["--appendonly", "no" if self.fast else "yes", "--save", ""]
        return [program, "--bind", "127.0.0.1", "--port", str(port), "--dir", self.folder, *durable]

    def ready(self, port: int) -> bool:
        return answers(port, say=b"PING\r\n", greets=b"+PONG")

    def url(self, port: int) -> str:
        return f"redis://127.0.0.1:{port}/0"


class RabbitMQ(Server):
    kind = "rabbitmq"
    title = "RabbitMQ"
    package = "rabbitmq-server"
    account = "rabbitmq"
    stop_signal = signal.SIGKILL  # its whole process group; the folder goes anyway

    def program(self) -> Path | None:
        debian = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")  # the one in the PATH insists on its own user
        return debian if debian.exists() else which("rabbitmq-server")

    def command(self, port: int) -> list[str | Path]:
        program = self.program()
        assert program
        # Erlang's name server would outlive its node as a daemon: our own one ends with the process group.
        return ["sh", "-c", 'epmd -address 127.0.0.1 & exec "$0"', program]

    def environment(self, port: int) -> dict[str, str]:
        return {
            "ERL_EPMD_PORT": str(free_port()),
            "RABBITMQ_NODENAME": f"horae{port}@localhost",
            "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODE_PORT": str(port),
            "RABBITMQ_DIST_PORT": str(free_port()),
            "RABBITMQ_CONFIG_FILE": str(self.folder / "none"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(self.folder / "plugins"),
            "RABBITMQ_MNESIA_BASE": str(self.folder),
            "RABBITMQ_LOG_BASE": str(self.folder),
            "RABBITMQ_LOGS": "-",
        }

    def ready(self, port: int) -> bool:
        return answers(port, say=b"AMQP\0\0\x09\x01", greets=b"\x01\0\0")  # a method frame: connection.start

    def url(self, port: int) -> str:
        return f"amqp://guest:guest@127.0.0.1:{port}/"


KINDS: dict[str, type[Server]] = {kind.kind: kind for kind in (PostgreSQL, MariaDB, Redis, RabbitMQ)}
