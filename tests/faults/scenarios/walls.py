"""Packets that vanish on the wire of a host of its own: nobody is told, and nobody acknowledges anything."""

from time import time as now

from tests.faults.outage import gathered
from tests.faults.scenario import SERVERS, scenario
from tests.faults.scenarios.workers import KINDS, begun_again, busy, held_by, one_at_work, over
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
        runs = await busy(stage, workers, KINDS, 1.5 * stage.lease)
        cut_off = workers.index(await one_at_work(stage, workers))
        held = await held_by(stage, workers[cut_off])
        since = now()
        hosts[cut_off].drop(proxies[cut_off].port, stage.chance.choice(WAYS))
        await begun_again(stage, held, since)
        await stage.pass_by(stage.chance.random() * stage.lease)
        hosts[cut_off].let_pass()
        await over(stage, runs)
    await stage.every_slot(workers)


@scenario(
    "database-walled-off",
    "packets between everybody and the database vanish, one way or both, for longer than a lease; then they pass again",
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
    members.remember()
    for _ in stage.rounds():
        await members.steady(times=round(2 * stage.lease) + 8)
        await stage.pass_by(stage.chance.random())
        host.drop(proxy.port, stage.chance.choice(WAYS))
        await members.is_refused()
        async with members.waiting():
            await stage.pass_by(stage.chance.random() * stage.lease)
        host.let_pass()
        await members.resumes(now())
        await stage.settle()
    await members.has_let_go()
