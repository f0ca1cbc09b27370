"""PgBouncer in transaction mode before the PostgreSQL of the tests, on a private port like the servers."""

from __future__ import annotations

import os
from pathlib import Path

from machine import answers, own, which
from server_kinds import PostgreSQL, Server

_ASKS_FOR_TLS = bytes.fromhex("0000000804d2162f")  # the one question that needs no name; "N" is the answer
_SETTINGS = """\
[databases]
* = host=127.0.0.1 port={server} user=horae
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 4
max_client_conn = 500
ignore_startup_parameters =
"""


class PgBouncer(Server):
    kind = "pgbouncer"
    title = "PgBouncer"
    package = "pgbouncer"
    account = "postgres"
    behind = "postgresql"

    def __init__(self, home: Path, data: Path, *, fast: bool) -> None:
        super().__init__(home, data, fast=fast)
        self._server = PostgreSQL(home, data, fast=fast)

    def program(self) -> Path | None:
        return which("pgbouncer")

    def command(self, port: int) -> list[str | Path]:
        url = os.environ.get(PostgreSQL.variable) or self._server.running_url()
        assert url, "the server is started first"
        file = self.folder / "pgbouncer.ini"
        file.write_text(_SETTINGS.format(server=url.rpartition(":")[2].partition("/")[0], port=port))
        own(file, self.user())
        program = self.program()
        assert program
        return [program, file]

    def ready(self, port: int) -> bool:
        return answers(port, say=_ASKS_FOR_TLS, greets=b"N")

    def url(self, port: int) -> str:
        return f"postgresql://horae:horae@127.0.0.1:{port}/horae"
