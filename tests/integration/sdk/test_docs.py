"""docs/sdk.md, executed: block after block, as a reader would type it."""

import ast
import inspect
import re
from pathlib import Path
from typing import Any

import pytest

from horae.sdk import task
from tests.functions import register
from tests.integration.up.running import Running

pytestmark = [pytest.mark.slow, pytest.mark.sqlite]
PAGE = Path(__file__).resolve().parents[3] / "docs" / "sdk.md"
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)


async def test_every_example_runs(running: Running, up: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HORAE_DATA_DIR", str(running.data_dir))
    for name in ("HORAE_URL", "HORAE_TOKEN", "HORAE_DATABASE_URL"):
        monkeypatch.delenv(name, raising=False)
    names: dict[str, Any] = {"url": up[0], "token": up[1], "__name__": "docs"}
    for number, block in enumerate(BLOCKS):
        code = compile(block, f"{PAGE.name}, block {number + 1}", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        if inspect.isawaitable(done := eval(code, names)):  # noqa: S307 - our own page
            await done
        if "send_report" in names:  # which a worker would have registered
            await register(f"sqlite:///{running.data_dir / 'horae.db'}", names["send_report"].function)
    assert (names["run"].job_name, names["run"].priority, len(names["runs"])) == ("send_report", 9, 1)
    del task.registry.functions["send_report"]
