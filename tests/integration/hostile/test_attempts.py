"""Everything that the hostile project has ever tried, on one real cluster of processes without root: none of it works,
and the other project's work goes on meanwhile. A new idea is one more entry in the catalogue."""

import pytest

from tests.integration.hostile import calls, code  # noqa: F401 (they fill the catalogue)
from tests.integration.hostile.attempt import CATALOGUE, Attempt
from tests.integration.hostile.stage import Stage, now

pytestmark = [pytest.mark.slow, pytest.mark.postgresql, pytest.mark.asyncio(loop_scope="module")]


@pytest.mark.parametrize("attempt", CATALOGUE.values(), ids=lambda attempt: attempt.name.replace(" ", "-"))
async def test_an_attack_fails_and_does_not_disturb_the_other_project(stage: Stage, attempt: Attempt) -> None:
    began = now()
    await attempt.play(stage)
    await stage.undisturbed(began)
