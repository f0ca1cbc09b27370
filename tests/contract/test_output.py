"""Output and progress of attempts: kept in order and once, and only with the right fencing token."""

from horae.domain.runs.log import LogLines, LogPiece, LogPosition
from tests.contract.world import (
    FAILED,
    IDS,
    World,
)


def texts(rows: list[LogPiece]) -> list[tuple[int, str]]:
    return [(row.attempt, row.text) for row in rows]


async def test_output_is_kept_in_order_of_attempt_and_place(world: World) -> None:
    job = await world.job(retry={"max_attempts": 3, "delay": 0})
    run = await world.running(job)
    await world.log(await world.line(run, "two", seq=2), await world.line(run, "one", seq=1))
    await world.finish(run, outcome=FAILED, logs=[await world.line(run, "three", seq=3)])
    (again,) = await world.claim()
    await world.finish(again, logs=[await world.line(again, "ü😀 'x' % \\n\n\"", seq=1)])
    lines = await world.log_of(run)
    assert texts(lines) == [(1, "one"), (1, "two"), (1, "three"), (2, "ü😀 'x' % \\n\n\"")]
    assert {line.stream for line in lines} == {"stdout"}
    assert texts(await world.log_of(run, after=LogPosition(1, 1), limit=2)) == [(1, "two"), (1, "three")]
    assert texts(await world.log_of(run, after=LogPosition(1, 3))) == [(2, "ü😀 'x' % \\n\n\"")]


async def test_progress_is_the_latest_report_of_the_worker_that_holds_the_run(world: World) -> None:
    run = await world.running()
    for fraction in (0.25, 0.5):
        await world.progress(run, f'{{"fraction": {fraction}, "note": "ü"}}')
    await world.progress(run, '{"fraction": 0.9}', token=IDS.new())
    assert (await world.find(run)).progress == {"fraction": 0.5, "note": "ü"}
    await world.finish(run)
    await world.progress(run, '{"fraction": 0.1}')
    assert (await world.find(run)).progress == {"fraction": 0.5, "note": "ü"}


async def test_output_without_the_token_is_dropped(world: World) -> None:
    run = await world.running()
    await world.log(await world.line(run, "mine"), await world.line(run, "not mine", seq=2, token=IDS.new()))
    await world.finish(run)
    await world.log(await world.line(run, "too late", seq=3))
    assert texts(await world.log_of(run)) == [(1, "mine")]


async def test_the_same_output_sent_again_is_kept_once(world: World) -> None:
    run = await world.running()
    line = await world.line(run, "hello")
    await world.log(line)
    await world.log(line)
    assert texts(await world.log_of(run)) == [(1, "hello")]


async def test_long_output_is_kept_whole(world: World) -> None:
    run = await world.running()
    text = "0123456789abcdef" * 4096 + "ü"
    await world.log(*[LogLines(run.id, run.token, 1, n, await world.now(), "stdout", text) for n in range(1, 6)])
    assert texts(await world.log_of(run)) == [(1, text)] * 5
