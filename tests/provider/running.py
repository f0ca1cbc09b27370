"""A real OpenID provider for tests: `oidc-provider` of npm, which is certified, on its own port.

Its packages are pinned in package-lock.json, and fetched into node_modules beside it the first time. Where there is no
Node, or npm reaches no registry, tests that need it are skipped and say so; with CI=true they fail."""

import fcntl
import json
import subprocess
import sys
from pathlib import Path
from typing import IO, Any

import httpx

from tests.integration.up.running import free_port
from tests.lacking import lacking
from tests.waiting import until

HERE = Path(__file__).resolve().parent
TOOLS = HERE.parents[1] / "tools"
sys.path.insert(0, str(TOOLS))

import portal  # noqa: E402

SECRET = "the client's secret of a test"


def _node() -> Path:
    """Node, with the packages."""
    try:
        node = portal.on_machine() or portal.from_wheel()
    except portal.Missing as reason:
        lacking(str(reason))
        raise
    with (portal.CACHE / "provider.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # several processes of tests at once
        if not (HERE / "node_modules" / "oidc-provider").is_dir():
            command: list[str | Path] = [node.program, node.npm_script, "ci", *portal.NPM_CI]
            told = subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=False)
            if told.returncode:
                lacking(f"npm could not fetch oidc-provider: {told.stderr[-500:]}")
    return node.program


class OidcProvider:
    """`people` by what they type at its login page, with their claims."""

    def __init__(self, folder: Path, horae_url: str, **config: Any) -> None:
        self.issuer = f"http://127.0.0.1:{free_port()}"
        self._folder, self._accounts = folder, folder / "accounts.json"
        self._log = folder / "provider.log"
        self._config = {
            "issuer": self.issuer,
            "secret": SECRET,
            "redirect": f"{horae_url}/api/v1/auth/sso/callback",
            "home": f"{horae_url}/",
            "accounts": str(self._accounts),
            **config,
        }
        self.people: dict[str, dict[str, Any]] = {}
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def settings(self) -> dict[str, str]:
        """For Horae."""
        return {
            "HORAE_OIDC_ISSUER": self.issuer,
            "HORAE_OIDC_CLIENT_ID": "horae",
            "HORAE_OIDC_CLIENT_SECRET": SECRET,
            "HORAE_OIDC_NAME": "Example ID",
        }

    def know(self, name: str, **claims: Any) -> None:
        self.people[name] = {"preferred_username": name, **claims}
        self._accounts.write_text(json.dumps(self.people))

    async def start(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        self._accounts.write_text(json.dumps(self.people))
        file = self._folder / "provider.json"
        file.write_text(json.dumps(self._config))
        with self._log.open("ab") as log:
            self._process = self._run(file, log)
        await until(self._answers, timeout=60, message="the provider answers")

    @staticmethod
    def _run(file: Path, log: IO[bytes]) -> subprocess.Popen[bytes]:
        return subprocess.Popen([_node(), "server.mjs", file], cwd=HERE, stdout=log, stderr=log)

    async def _answers(self) -> Any:
        assert self._process is not None
        assert self._process.poll() is None, self._log.read_text()
        try:
            async with httpx.AsyncClient(trust_env=False) as client:
                return (await client.get(f"{self.issuer}/.well-known/openid-configuration")).is_success
        except httpx.TransportError:
            return False

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
