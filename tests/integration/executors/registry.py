"""An image registry on loopback, with one image in it, just enough for pulling."""

import hashlib
import io
import json
import shutil
import tarfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from aiohttp import web

_OCI = "application/vnd.oci.image."


class Registry:
    """Has `team/tool:1`, an image of BusyBox whose command prints `pulled`. `login` is who may have it, in base64; by
    default everyone."""

    def __init__(self, login: str | None) -> None:
        self._login = login
        self.host = ""
        self._blobs: dict[str, bytes] = {}
        layer = _layer()
        config = {
            "architecture": "amd64",
            "os": "linux",
            "config": {"Cmd": ["/bin/busybox", "echo", "pulled"]},
            "rootfs": {"type": "layers", "diff_ids": [_digest(layer)]},
        }
        self._manifest = json.dumps(
            {
                "schemaVersion": 2,
                "mediaType": f"{_OCI}manifest.v1+json",
                "config": self._add(f"{_OCI}config.v1+json", json.dumps(config).encode()),
                "layers": [self._add(f"{_OCI}layer.v1.tar", layer)],
            }
        ).encode()

    async def handle(self, request: web.Request) -> web.Response:
        path = request.path
        if self._login is not None and request.headers.get("Authorization") != f"Basic {self._login}":
            return web.Response(status=401, headers={"WWW-Authenticate": 'Basic realm="tests"'})
        if path == "/v2/":
            return web.Response()
        if path in ("/v2/team/tool/manifests/1", f"/v2/team/tool/manifests/{_digest(self._manifest)}"):
            return web.Response(body=self._manifest, content_type=f"{_OCI}manifest.v1+json")
        blob = self._blobs.get(path.rpartition("/")[2])
        if blob is not None:
            return web.Response(body=blob)
        unknown = {"errors": [{"code": "MANIFEST_UNKNOWN", "message": "manifest unknown"}]}
        return web.json_response(unknown, status=404)

    def _add(self, kind: str, content: bytes) -> dict[str, object]:
        self._blobs[_digest(content)] = content
        return {"mediaType": kind, "digest": _digest(content), "size": len(content)}


@asynccontextmanager
async def registry(login: str | None = None) -> AsyncIterator[Registry]:
    it = Registry(login)
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", it.handle)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    it.host = f"127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield it
    finally:
        await runner.cleanup()


def _digest(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def _layer() -> bytes:
    content = Path(shutil.which("busybox") or "").read_bytes()
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        entry = tarfile.TarInfo("bin/busybox")
        entry.mode, entry.size = 0o755, len(content)
        tar.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()
