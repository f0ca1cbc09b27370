"""Packets that are dropped on the wire of a separate host: neither side is notified, and nothing is acknowledged."""

from tests.faults.outage import gathered
from tests.faults.scenario import SERVERS, scenario
from tests.faults.scenarios.workers import cut_off
from tests.faults.stage import Stage
from tests.faults.walls import Way, far_host, possible

WAYS: tuple[Way, ...] = ("there", "back", "both")
NEEDED = "leave to make network namespaces (root, ip, iptables)"


@scenario(
    "worker-walled-off",
    "packets between a worker's host and the database vanish, one way or both: it ends its work before others begin it",
    kinds=SERVERS,
    fast=("postgresql",),
    rounds=5,
    needs=NEEDED,
    possible=possible,
)
async def worker_walled_off(stage: Stage) -> None:
    hosts = [await stage.keep(far_host()), await stage.keep(far_host())]
    proxies = [await stage.proxy(host.gateway) for host in hosts]
    await stage.cluster.start_scheduler()
    workers = [
        await stage.cluster.start_worker(before=host.enter, HORAE_DATABASE_URL=proxy.url)
        for host, proxy in zip(hosts, proxies, strict=True)
    ]
    await stage.cluster.tell("UPDATE workers SET host_key = id")
    for _ in stage.rounds():
        way = stage.chance.choice(WAYS)
        await cut_off(
            stage,
            workers,
            lambda n, way=way: hosts[n].drop(proxies[n].port, way),  # type: ignore[misc]
            lambda n: hosts[n].let_pass(),
        )
    await stage.every_slot(workers)


@scenario(
    "database-walled-off",
    "packets to or from the database vanish, one way or both, for longer than a lease; then they pass again",
    kinds=SERVERS,
    rounds=5,
    within=100,
    bound=5,
    needs=NEEDED,
    possible=possible,
)
async def database_walled_off(stage: Stage) -> None:
    host = await stage.keep(far_host())
    proxy = await stage.proxy(host.gateway)
    where = {"HORAE_DATABASE_URL": proxy.url, "HORAE_HOST": host.address}
    members = await stage.keep(gathered(stage, before=host.enter, **where))
    await members.endure(lambda: host.drop(proxy.port, stage.chance.choice(WAYS)), host.let_pass)
