"""Attempts of code that runs on a worker: at files, processes, the environment, sockets, and at more than its share."""

import asyncio
import json

from tests.integration.cluster.cluster import eventually
from tests.integration.cluster.hostile import NOBODY, search
from tests.integration.executors.archives import digest, tarred, zipped
from tests.integration.hostile.attempt import attempt, ended_by, script
from tests.integration.hostile.stage import Stage

SCRATCH = f"/tmp/horae-{NOBODY}"

# ---- files


@attempt(
    "search everything",
    "look for the key, the database's URL and alpha's secret in every process and every file it can open",
    "nothing is found, and it has looked at many",
)
async def search_everything(stage: Stage) -> None:
    target = search(stage.key_material, stage.folder, SCRATCH, "/run", "/dev/shm", "/etc")
    run = await stage.play(target, timeout=120)
    assert run["status"] == "succeeded", run
    assert (run["result"]["uid"], run["result"]["found"]) == (NOBODY, [])
    assert run["result"]["looked"]["files"] > 10


script(
    "the data directory",
    "list and read the worker's data directory, where `horae up` keeps an admin's key",
    "it is empty",
    "take('data', lambda: os.listdir('FOLDER/data'))\ntake('client', lambda: open('FOLDER/data/client.json').read())",
)
script(
    "key files",
    "read the files that HORAE_SECRET_KEY_FILE and HORAE_DATABASE_URL_FILE name",
    "they are empty",
    "take('key', lambda: open('FOLDER/key').read())\ntake('url', lambda: open('FOLDER/url').read())",
)
script(
    "key files by another name",
    "make links to the key files, and rename them",
    "neither works, or both lead to nothing",
    """
folder = os.path.dirname(os.environ["HORAE_RESULT"])
def by(make):
    make("FOLDER/key", folder + "/mine")
    return open(folder + "/mine").read()
for make in (os.link, os.symlink, os.rename):
    take(make.__name__, lambda: by(make))
    try: os.unlink(folder + "/mine")
    except OSError: pass
""",
)
script(
    "somebody's sign-in",
    "read the token that `horae login` left in the home of the worker's user",
    "it is not there",
    "take('login', lambda: open('FOLDER/home/.config/horae/login.json').read())",
)
script(
    "folders of other attempts",
    "list and read the scratch folders, where alpha's script has put its secret",
    "it sees its own alone",
    f"""
mine = os.path.dirname(os.environ["HORAE_RESULT"])
for path, _, files in os.walk("{SCRATCH}"):
    for file in files:
        if not path.startswith(mine):
            take(path, lambda: file)
""",
)
script(
    "shared memory",
    "read what alpha's script left in /dev/shm, and attach to any segment of System V",
    "there is nothing",
    """
take('shm', lambda: os.listdir('/dev/shm'))
take('ipc', lambda: open('/proc/sysvipc/shm').read().splitlines()[1:])
""",
)
script(
    "a result that leads elsewhere",
    "have the worker read the key file as this script's result",
    "there is no result",
    "os.symlink('FOLDER/key', os.environ['HORAE_RESULT'])\nsys.exit(0)",
    error="the result",
)

# ---- processes

script(
    "other processes",
    "list all processes of the machine",
    "it sees its own sandbox only",
    """
pids = [int(pid) for pid in os.listdir('/proc') if pid.isdigit()]
take('many', lambda: pids if len(pids) > 4 else [])
for pid in pids:
    for name in (b'postgres', b'sleep', b'worker', b'serve'):
        take(pid, lambda: name in open(f'/proc/{pid}/cmdline', 'rb').read().split(b'-- ')[-1] and name)
""",
)
script(
    "kill everything",
    "send KILL to every process it may signal",
    "only its own sandbox hears of it",
    "take('any', lambda: os.kill(-1, signal.SIGKILL))\ntake('other', lambda: os.killpg(1, signal.SIGKILL))",
)
script(
    "stop what watches over it",
    "stop or kill its parent, so that nobody ends it in time",
    "the run ends anyway",
    "os.kill(os.getppid(), signal.SIGSTOP)\nos.kill(os.getppid(), signal.SIGKILL)",
)
script(
    "trace a process",
    "attach to any process by ptrace, by its number on the machine",
    "none of those numbers means anything in the sandbox",
    """
libc = ctypes.CDLL(None, use_errno=True)
mine = {int(pid) for pid in os.listdir('/proc') if pid.isdigit()}
for pid in range(3, 70_000):
    if pid not in mine and libc.ptrace(16, pid, 0, 0) == 0:
        got.append(pid)
""",
)
script(
    "other namespaces",
    "enter the namespaces of process 1, or mount over what it sees",
    "it has no capability to",
    """
libc = ctypes.CDLL(None, use_errno=True)
for name in ('mnt', 'pid', 'net', 'ipc'):
    take(name, lambda: libc.setns(os.open(f'/proc/1/ns/{name}', os.O_RDONLY), 0) == 0)
take('mount', lambda: libc.mount(b'none', b'/etc', b'tmpfs', 0, None) == 0)
take('chroot', lambda: os.chroot('/proc/1/root'))
take('sudo', lambda: os.setuid(0) is None)
""",
)

# ---- environment

script(
    "the environment",
    "find a key or a database in its environment",
    "it has the few variables that scripts are promised",
    """
few = {'PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR', 'PWD'}
few |= {'HORAE_' + name for name in ('RUN_ID', 'JOB_NAME', 'TRIGGER', 'ATTEMPT', 'SCHEDULED_FOR', 'RESULT')}
got += sorted(set(os.environ) - few)
""",
)
script(
    "open files",
    "use files and sockets that the worker has left open",
    "it has standard input and output, and nothing else",
    """
for fd in range(3, 4096):
    take(fd, lambda: os.readlink(f'/proc/self/fd/{fd}'))
""",
)
script(
    "code that others import",
    "change modules that Horae, or the next script, will import",
    "nothing on its path can be changed but its own folder",
    "take('path', lambda: [place for place in sys.path[1:] if place and os.access(place, os.W_OK)])",
)

# ---- sockets

script(
    "the container service",
    "connect to the socket that HORAE_CONTAINER_HOST names, and be root by a container",
    "it is no socket in there",
    """
def connect():
    with socket.socket(socket.AF_UNIX) as one:
        one.connect('FOLDER/docker.sock')
        return 'connected'
take('docker', connect)
""",
)
script(
    "sockets of the machine",
    "connect to any socket below /run: databases, the system's bus",
    "there is none",
    """
import stat
for path in glob.glob('/run/**', recursive=True):
    take(path, lambda: stat.S_ISSOCK(os.stat(path).st_mode))
""",
)
script(
    "the API on the loopback",
    "call the API from the worker's machine: with nothing, a forged token, and its own key for alpha",
    "being there is no credential",
    """
import base64, urllib.request, urllib.error
def b(data): return base64.urlsafe_b64encode(json.dumps(data).encode()).decode().rstrip('=')
forged = b({'alg': 'none', 'typ': 'JWT'}) + '.' + b({'sub': 'admin', 'sid': 'admin', 'exp': 9999999999}) + '.'
def ask(path, **headers):
    request = urllib.request.Request('URL/api/v1' + path, headers=headers)
    try:
        return urllib.request.urlopen(request).read()
    except urllib.error.HTTPError as error:
        return None if error.code in (401, 403, 404) else error.code
take('nothing', lambda: ask('/jobs'))
take('forged', lambda: ask('/jobs', Authorization='Bearer ' + forged))
take('header', lambda: ask('/jobs', Authorization='Bearer KEY', **{'Horae-Project': 'alpha'}))
take('forwarded', lambda: ask('/users', **{'X-Forwarded-For': '127.0.0.1', 'X-Forwarded-User': 'admin'}))
take('run', lambda: ask('/runs/RESIDENT', Authorization='Bearer KEY'))
take('mine', lambda: None if ask('/jobs', Authorization='Bearer KEY') else 'the way is blocked')
""",
)

# ---- more than its share

script(
    "processes without end",
    "fork until nothing else can start",
    "it is killed at its limit",
    "while True:\n    if os.fork() == 0: signal.pause()",
    error="too many processes",
)
script(
    "memory without end",
    "use all memory of the machine",
    "it is killed at its limit",
    "held = []\nwhile True: held.append(bytearray(1 << 22))",
    error="out of memory",
)
script(
    "memory in files",
    "use all memory of the machine by files in memory, which no process holds",
    "there is room for as much as its limit of memory, and for little elsewhere",
    """
def fill(folder):
    size = 0
    with open(folder + '/filling', 'wb') as file:
        try:
            while size < 600 << 20:
                size += file.write(bytes(1 << 20))
                file.flush()
        except OSError:
            pass
    return size > 160 << 20 and size
places = {line.split()[1] for line in open('/proc/mounts') if line.split()[2] == 'tmpfs'}
places = [path for path in sorted(places) if os.access(path, os.W_OK)]
for path in places:
    take(path, lambda: fill(path))
""",
)
script(
    "a deaf loop",
    "ignore TERM, in several sessions, and compute for ever",
    "its time limit ends all of it",
    """
for n in range(3):
    if os.fork() == 0:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True: pass
signal.signal(signal.SIGTERM, signal.SIG_IGN)
while True: pass
""",
    error="took longer than its timeout",
    timeout=1,
)
script(
    "a log without end",
    "write a hundred megabytes to its log",
    "the log has its limit, and the run ends",
    "for _ in range(100): os.write(1, b'x' * (1 << 20))",
)
script(
    "a log of one line",
    "write bytes that are no text, controls and escapes, without any end of line",
    "it is stored and shown",
    "for _ in range(64): os.write(1, bytes(range(256)) * 16 + b'\\x1b]0;title\\x07\\x1b[2J\\xe2\\x80\\xae\\xff\\xfe')",
)
script(
    "a result without end",
    "return a result of a megabyte",
    "it is refused",
    "json.dump('x' * (1 << 20), open(os.environ['HORAE_RESULT'], 'w'))\nsys.exit(0)",
    error="the result",
)
script(
    "progress without end",
    "tell its progress a hundred thousand times",
    "the run ends, and the database has one of them",
    "for n in range(100_000): print(f'::progress {n / 100_000}')",
)


@attempt(
    "scratch that stays",
    "fill its folder with files, deep and many, that nobody could remove",
    "all of it is gone with the run",
)
async def scratch_that_stays(stage: Stage) -> None:
    source = """
        cd $(dirname $HORAE_RESULT); head -c 50M /dev/zero > large; mkdir -p $(printf 'd/%.0s' $(seq 500))
        mkdir closed; touch closed/file; chmod 000 closed; for n in $(seq 2000); do : > f$n; done
        pwd > $HORAE_RESULT.txt; printf '"%s"' $(basename $PWD) > $HORAE_RESULT
    """
    run = await stage.play({"kind": "script", "source": source})
    assert run["status"] == "succeeded", run

    async def gone() -> bool:
        from pathlib import Path

        return not list(Path(SCRATCH).glob(f"*/{run['result']}"))

    await eventually(gone, message="the folder is gone")


@attempt(
    "an army of runs",
    "take every slot of the shared worker, ahead of everybody else, for as long as it likes",
    "what alpha has on a queue of its own goes on, and beta's deleted job sets the slots free",
)
async def an_army_of_runs(stage: Stage) -> None:
    target = {"kind": "python", "function": "nothing", "arguments": {"seconds": 600}}
    body = {"name": "army", "target": target, "retry": {"max_attempts": 1}, "priority": 9}
    await stage.expect(201, "beta owner", "POST", "/jobs", json=body)
    await stage.expect(202, "beta owner", "POST", "/jobs/army/runs:batch", json={"runs": [{} for _ in range(50)]})
    run = await stage.expect(202, "alpha owner", "POST", "/jobs/kept/run", json={})
    assert (await stage.ended(run["id"], "alpha owner"))["status"] == "succeeded"
    await stage.expect(204, "beta owner", "DELETE", "/jobs/army")
    assert (await stage.play({"kind": "python", "function": "nothing"}, "alpha owner"))["status"] == "succeeded"


# ---- archives


async def unpack(stage: Stage, content: bytes, name: str) -> dict[str, object]:
    path = stage.folder / "artifacts" / name
    await asyncio.to_thread(path.write_bytes, content)
    path.chmod(0o644)
    target = {"kind": "artifact", "uri": f"file://{path}", "digest": digest(content), "entrypoint": ["sh", "run.sh"]}
    return await stage.play(target)


def linking(name: str, to: str, kind: bytes) -> bytes:
    import io
    import tarfile

    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        link = tarfile.TarInfo(name)
        link.type, link.linkname = kind, to
        archive.addfile(link)
        info = tarfile.TarInfo("run.sh")
        text = f"cat {name}\n".encode()
        info.size = len(text)
        archive.addfile(info, io.BytesIO(text))
    return buffer.getvalue()


@attempt(
    "archives that reach outside",
    "unpack files above the archive's folder, or read others by links in it: by zip, tar, symbolic and hard links",
    "the run fails and nothing is written, or the link leads nowhere",
)
async def archives_that_reach_outside(stage: Stage) -> None:
    import tarfile

    outside = stage.folder / "artifacts" / "slipped"
    runs = [
        await unpack(stage, zipped({"../../slipped": "x", "run.sh": "true"}), "slip.zip"),
        await unpack(stage, tarred({f"{outside}": "x", "run.sh": "true"}), "absolute.tar"),
        await unpack(stage, linking("key", str(stage.folder / "key"), tarfile.SYMTYPE), "symlink.tar"),
        await unpack(stage, linking("key", str(stage.folder / "key"), tarfile.LNKTYPE), "hardlink.tar"),
    ]
    assert [run["status"] for run in runs] == 4 * ["failed"], [run["error"] for run in runs]
    assert not outside.exists()
    found = [await stage.log("beta owner", str(run["id"])) for run in runs]
    assert not any(value in text for text in found for value in stage.key_material.values())


@attempt(
    "an archive that grows without end",
    "unpack a gigabyte out of a megabyte",
    "unpacking stops at HORAE_ARTIFACT_LIMIT",
)
async def an_archive_that_grows(stage: Stage) -> None:
    run = await unpack(stage, tarred({"large": "\0" * (64 << 20), "run.sh": "true"}), "bomb.tar.gz")
    ended_by(run, "unpacks to more than")


@attempt(
    "archives of the worker's own files",
    "name a key file as an archive, and learn its digest from the error",
    "it is refused before it is read",
)
async def archives_of_the_worker(stage: Stage) -> None:
    wrong = "sha256:" + "0" * 64
    for uri in (f"file://{stage.folder}/key", f"file://{stage.folder}/artifacts/../key", "file:///etc/passwd"):
        target = {"kind": "artifact", "uri": uri, "digest": wrong, "entrypoint": ["sh", "run.sh"]}
        answer = await stage.call("beta owner", "POST", "/jobs", json={"name": f"reads {uri[-30:]}", "target": target})
        if answer.status_code == 422:
            continue
        run = await stage.play(target)
        assert run["status"] == "failed"
        assert json.dumps(run).count("sha256:") == 0, run["error"]
