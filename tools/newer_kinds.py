"""Servers newer than this machine's own, unpacked from other Debian suites (debian.py): no root is needed, and nothing
is installed. Each takes the place of its family: the tests of MariaDB run on MySQL where that one is started instead.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import ClassVar

import debian
from server_kinds import MariaDB, Missing, PostgreSQL, Server


class Unpacked(Server):
    """To mix in before a kind."""

    suite: ClassVar[str]
    packages: ClassVar[tuple[str, ...]]
    executable: ClassVar[str]

    @property
    def root(self) -> Path:
        return debian.folder(self.suite, *self.packages)

    def program(self) -> Path | None:
        program = self.root / self.executable
        return program if program.exists() else None

    def find_or_install(self, *, may_install: bool) -> None:
        if self.program():
            return
        print(f"Downloading {self.title} from Debian's suite {self.suite} …", file=sys.stderr)
        try:
            debian.unpacked(self.suite, *self.packages)
        except debian.Unavailable as reason:
            raise Missing(f"{reason}; set {self.variable} to a server of that version instead") from None


class MySQL(Unpacked, MariaDB):
    kind = "mysql9"
    family = "mysql"
    title = "MySQL 9"
    suite = "sid"
    packages = ("mysql-server-core",)
    executable = "usr/sbin/mysqld"

    def initialize(self) -> None:
        self.call(*self.start_of_command(), "--initialize-insecure")

    def start_of_command(self) -> list[str | Path]:
        program = self.program()
        assert program
        return [
            program,
            "--no-defaults",
            f"--datadir={self.folder / 'data'}",
            f"--lc-messages-dir={self.root / 'usr/share/mysql'}",
            f"--character-sets-dir={self.root / 'usr/share/mysql/charsets'}",
            f"--plugin-dir={self.root / 'usr/lib/mysql/plugin'}",
        ]

    def settings(self, port: int) -> dict[str, object]:
        settings = super().settings(port)
        del settings["innodb-log-file-size"]
        settings |= {"innodb-redo-log-capacity": "256M", "mysqlx": "OFF", "secure-file-priv": ""}
        if self.fast:
            settings |= {"sync-binlog": 0, "innodb-doublewrite": "OFF"}
        return settings


class MariaDB11(Unpacked, MariaDB):
    kind = "mariadb11"
    family = "mysql"
    title = "MariaDB 11.8"
    suite = "trixie"
    packages = ("mariadb-server-core", "mariadb-client-core")
    executable = "usr/sbin/mariadbd"

    def installer(self) -> list[str | Path]:
        return [self.root / "usr/bin/mariadb-install-db", "--no-defaults", f"--basedir={self.root / 'usr'}"]

    def start_of_command(self) -> list[str | Path]:
        return [*super().start_of_command(), f"--basedir={self.root / 'usr'}"]


class PostgreSQL17(Unpacked, PostgreSQL):
    kind = "postgresql17"
    family = "postgresql"
    title = "PostgreSQL 17"
    suite = "trixie"
    packages = ("postgresql-17",)
    executable = "usr/lib/postgresql/17/bin/postgres"


class PostgreSQL18(Unpacked, PostgreSQL):
    kind = "postgresql18"
    family = "postgresql"
    title = "PostgreSQL 18"
    suite = "sid"
    packages = ("postgresql-18",)
    executable = "usr/lib/postgresql/18/bin/postgres"


KINDS: dict[str, type[Server]] = {kind.kind: kind for kind in (MySQL, PostgreSQL17, PostgreSQL18, MariaDB11)}
