"""What a client sends to its database, read off the wire: enough of two protocols to know which statement is
executed."""

from typing import Protocol

_STARTUP_CODES = (80_877_103, 80_877_104)  # asks for TLS or GSS; the startup message itself comes after
_MYSQL_QUERY = 0x03


class Reader(Protocol):
    """Fed with a client's bytes, gives the statements that they execute."""

    def statements(self, data: bytes) -> list[str]: ...


class PostgresqlReader:
    """Simple queries, and prepared ones by the name under which they were prepared."""

    def __init__(self) -> None:
        self._buffer = b""
        self._started = False
        self._prepared: dict[bytes, str] = {}

    def statements(self, data: bytes) -> list[str]:
        self._buffer += data
        found: list[str] = []
        while not self._started and len(self._buffer) >= 8:
            size, code = (int.from_bytes(self._buffer[at : at + 4]) for at in (0, 4))
            self._started = code not in _STARTUP_CODES
            self._buffer = self._buffer[size:]
        while self._started and len(self._buffer) >= 5:
            size = 1 + int.from_bytes(self._buffer[1:5])
            if len(self._buffer) < size:
                break
            kind, body = self._buffer[:1], self._buffer[5:size]
            self._buffer = self._buffer[size:]
            found += self._message(kind, body)
        return found

    def _message(self, kind: bytes, body: bytes) -> list[str]:
        if kind == b"Q":
            return [body.rstrip(b"\0").decode(errors="replace")]
        if kind == b"P":
            name, text = body.split(b"\0", 2)[:2]
            self._prepared[name] = text.decode(errors="replace")
        if kind == b"B":
            return [self._prepared.get(body.split(b"\0", 2)[1], "")]
        return []


class MysqlReader:
    """Queries as text: asyncmy puts the parameters in itself."""

    def __init__(self) -> None:
        self._buffer = b""

    def statements(self, data: bytes) -> list[str]:
        self._buffer += data
        found: list[str] = []
        while len(self._buffer) >= 4:
            size = int.from_bytes(self._buffer[:3], "little")
            if len(self._buffer) < 4 + size:
                break
            number, body = self._buffer[3], self._buffer[4 : 4 + size]
            self._buffer = self._buffer[4 + size :]
            if number == 0 and body[:1] == bytes([_MYSQL_QUERY]):
                found.append(body[1:].decode(errors="replace"))
        return found


def reader_for(drivername: str) -> Reader:
    return PostgresqlReader() if drivername.startswith("postgresql") else MysqlReader()
