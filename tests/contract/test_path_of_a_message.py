"""docs/architecture.md lists the files that a message passes. Here two are followed."""

import pytest

from horae.notifiers import SmtpServer
from horae.ports import Notifier
from horae.processes.duties.deliver import DeliverDuty
from horae.processes.duties.duty import Post
from horae.processes.settings import SchedulerSettings
from tests.contract.channels import MAIL, SEALS, create
from tests.contract.watching import evaluate, fail, worker
from tests.contract.world import PERMANENT, World, scheduler_sign
from tests.integration.api.test_path_of_a_run import followed, steps
from tests.integration.notifiers.envelopes import notifiers
from tests.integration.notifiers.receiving import receiving
from tests.integration.notifiers.test_mail import Mailbox, serving

on_sqlite = pytest.mark.parametrize("world", [pytest.param("sqlite", marks=pytest.mark.sqlite)], indirect=True)


async def deliver(world: World, notifier: Notifier) -> None:
    settings = SchedulerSettings(seals=SEALS)
    post = Post(
        *(scheduler_sign(), world.store, settings, 64, world.clock, world.ids),
        *(lambda: False, lambda host, other: False),
        shards=[0],
        notifier=notifier,
    )
    duty = DeliverDuty(post)
    await duty.step()
    await duty._busy.over()


@on_sqlite
async def test_from_a_failed_run_to_a_webhook(world: World) -> None:
    async with receiving() as receiver:
        target = {"kind": "webhook", "url": f"{receiver.url}/hook", "key": "whsec_bWFkZSBieSB0aGUgc2VydmVy"}
        await create(world, target=target)
        run, sender = await world.running(), notifiers()
        with followed() as files:
            await world.finish(run, outcome=PERMANENT)
            await deliver(world, sender)
        await sender.close()
    assert len(receiver.got) == 1
    assert [file for file in steps("From a failed run to a webhook") if file not in files] == []


@on_sqlite
async def test_from_a_fact_to_a_mail(world: World) -> None:
    await worker(world)
    await create(world, target=MAIL, events=["alert"])
    await fail(world, await world.job(), 3)
    mailbox = Mailbox()
    with serving(mailbox, None) as port:
        sender = notifiers(smtp=SmtpServer("127.0.0.1", port, "none"), sender="horae@example.org")
        with followed() as files:
            await evaluate(world)
            await deliver(world, sender)
        await sender.close()
    assert len(mailbox.mails) == 1
    assert [file for file in steps("From a fact to a mail") if file not in files] == []
