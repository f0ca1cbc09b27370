"""The portal's own tools: its logic tested, a lock file for all platforms, and what a wheel of Horae contains."""

import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import httpx
import pytest

from tests.integration.up.running import Running
from tests.lacking import lacking

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "portal.py"
sys.path.insert(0, str(TOOL.parent))

import portal_lock  # noqa: E402

import portal  # noqa: E402

pytestmark = pytest.mark.slow


def call(verb: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, TOOL, verb], capture_output=True, text=True, check=False)


@pytest.fixture(scope="session")
def built() -> Path:
    """The portal as its sources are now."""
    done = call("build")
    if done.returncode or done.stderr:
        lacking(f"the portal is not built: {done.stderr}")
    return portal.BUILT


@pytest.mark.timeout(300)
def test_its_logic(built: Path):
    """Vitest, as one test of ours."""
    done = call("test")
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_second_build_does_nothing(built: Path):
    sources = portal.fingerprint()
    before = {path: path.stat().st_mtime_ns for path in built.rglob("*")}
    assert call("build").returncode == 0
    if portal.fingerprint() != sources:
        pytest.skip("somebody edits the portal right now")
    assert {path: path.stat().st_mtime_ns for path in built.rglob("*")} == before


def test_every_installed_package_has_a_digest():
    """Of what is for other platforms, the registry that we lock with has none: there the build says so."""
    packages = json.loads(portal.LOCK.read_text())["packages"]
    strange = portal_lock.unverified(packages)
    assert not [path for path in strange if portal_lock.concerned(packages[path], "linux", "x64", "glibc")]
    assert all(packages[path].get("optional") for path in strange)
    assert [path for path in strange if portal_lock.concerned(packages[path], "darwin", "arm64", "")]


def test_locking_asks_for_digests(tmp_path: Path):
    lock = tmp_path / "package-lock.json"
    packages = {"": {}, "node_modules/a": {"version": "1.0"}, "node_modules/@b/c": {"version": "2.0"}}
    lock.write_text(json.dumps({"packages": packages}))
    portal_lock.complete(lock, lambda *package: {("@b/c", "2.0"): "sha512-x"}.get(package))
    found = json.loads(lock.read_text())["packages"]
    assert (found["node_modules/a"], found["node_modules/@b/c"]["integrity"]) == ({"version": "1.0"}, "sha512-x")


def test_its_lock_file_is_for_every_platform_and_names_no_registry():
    assert portal_lock.flaws(portal.LOCK) == []


def test_a_lock_file_is_completed(tmp_path: Path):
    lock = tmp_path / "package-lock.json"
    tool = {"version": "2.0.0", "dev": True, "optionalDependencies": {"tool-linux-x64-musl": "2.0.0", "b": "1.0.0"}}
    resolved = {"version": "1.0.0", "resolved": "https://registry.example/b.tgz"}
    lock.write_text(json.dumps({"packages": {"": {}, "node_modules/tool": tool, "node_modules/b": resolved}}))
    assert portal_lock.flaws(lock) == ["node_modules/b names a registry", "tool-linux-x64-musl is missing"]
    portal_lock.complete(lock, lambda *_: None)
    assert portal_lock.flaws(lock) == []
    added = json.loads(lock.read_text())["packages"]["node_modules/tool-linux-x64-musl"]
    assert added == {
        "version": "2.0.0", "dev": True, "optional": True, "os": ["linux"], "cpu": ["x64"], "libc": ["musl"],
    }  # fmt: skip


def test_only_a_whole_build_is_published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    target, made = tmp_path / "built", tmp_path / "made"
    monkeypatch.setattr(portal, "BUILT", target)
    monkeypatch.setattr(portal, "STAMP", target / ".fingerprint")
    for build, other in (("1", "2"), ("2", "1")):
        shutil.rmtree(made, ignore_errors=True)
        (made / "assets").mkdir(parents=True)
        (made / "index.html").write_text(build)
        (made / "assets" / f"main-{build}.js").write_text(build)
        portal.publish(made)
        assert (target / "index.html").read_text() == build
        assert (target / "assets" / f"main-{build}.js").is_file()
        assert not (target / "assets" / f"main-{other}.js").exists()


# ---- what is handed out


@pytest.fixture(scope="session")
def wheel(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (found,) = folder.glob("*.whl")
    return found


def names(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


async def test_a_wheel_of_horae_serves_the_portal(wheel: Path, built: Path, tmp_path: Path):
    installed = tmp_path / "installed"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(installed)
    page_file = installed / "horae" / "portal_build" / "index.html"
    inside = names(installed / "horae" / "portal_build")
    there = {name for name in names(built) if not name.startswith(".")}
    assert inside == there
    assert any(name.endswith(".js.br") for name in inside)
    page_file.write_bytes(page_file.read_bytes() + b"<!-- of the wheel -->")  # so that it is surely this one
    for packed in page_file.parent.glob("index.html.*"):
        packed.unlink()
    running = Running([sys.executable, "-P", "-m", "horae", "up"], tmp_path / "data", PYTHONPATH=str(installed))
    try:
        await running.ready()
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{running.port}") as client:
            page = await client.get("/jobs", headers={"accept": "text/html"})
            assert page.content.endswith(b"<!-- of the wheel -->")
    finally:
        running.kill()
