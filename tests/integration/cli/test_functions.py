"""`horae functions`, beside a running `horae up`."""

from pathlib import Path

from tests.databases import run as run_async
from tests.integration.cli.conftest import Horae
from tests.waiting import until

TASKS = "tests.integration.cli.tasks"


def test_the_functions_that_come_with_horae(horae: Horae):
    names = [one["name"] for one in horae("functions", "list", "--json").json["items"]]
    assert {"horae.echo", "horae.fail", "horae.noop", "horae.sleep"} <= set(names)
    answer = horae("functions", "list")
    assert "Does nothing, successfully." in answer.out
    refused = horae("functions", "delete", "horae.noop", "--yes")
    assert refused.code == 1
    assert "is built in" in refused.err


def test_registered_before_any_worker_has_it(horae: Horae):
    unknown = horae("jobs", "create", "early", "--python", "no_such_functions")
    assert unknown.code == 2
    assert "target.function: no worker has registered a function with this name" in unknown.err
    registered = horae("functions", "register", "--import", TASKS, "--json").json["items"]
    assert "no_such_function" in registered, "beside those of modules that other tests have imported into this process"
    close = horae("jobs", "create", "early", "--python", "no_such_functions")
    assert "did you mean 'no_such_function'?" in close.err
    shown = horae("functions", "show", "no_such_function")
    assert "Is nowhere to be found." in shown.out
    assert horae("functions", "show", "no_such_function", "--json").json["kind"] == "process"
    assert horae("functions", "delete", "no_such_function", "--yes").code == 0
    assert horae("functions", "show", "no_such_function").code == 3


def test_switched_off_and_on(horae: Horae):
    assert horae("functions", "disable", "horae.echo").err == (
        "The function horae.echo is disabled: schedules of jobs that call it are skipped until it is enabled.\n"
    )
    refused = horae("jobs", "create", "off", "--python", "horae.echo")
    assert refused.code == 2
    assert "the function horae.echo is disabled" in refused.err
    assert horae("functions", "enable", "horae.echo", "--json").json["is_active"] is True
    assert horae("jobs", "create", "off", "--python", "horae.echo").code == 0
    assert horae("functions", "disable", "nobody").code == 3


SHOP = """
import os
from datetime import date
from os import system

def pack(order: int, day: date | None = None) -> dict[str, object]:
    \"\"\"Packs an order.\"\"\"
    return {"order": order + 1, "day": day and day.year, "key": os.environ.get("HORAE_SECRET_KEY")}

async def ship(order: int) -> int:
    return order * 2
"""


def test_functions_by_path(horae: Horae, running: Path):
    """Undecorated, sync and async, learned by a worker that runs already."""
    (running / "shop.py").write_text(SHOP)
    for name in ("pack", "ship", "system", "gone"):
        assert horae("functions", "add", name, f"shop.{name}").code == 0
    assert "is registered already" in horae("functions", "add", "pack", "shop.ship").err

    def settled() -> bool:
        shown = [horae("functions", "show", name, "--json").json for name in ("pack", "ship", "system", "gone")]
        return all(one["imported_at"] or one["import_error"] for one in shown)

    run_async(until(settled, timeout=60, message="a worker has tried to import them"))
    pack = horae("functions", "show", "pack", "--json").json
    assert (pack["description"], pack["handler_path"], pack["kind"]) == ("Packs an order.", "shop.pack", "process")
    assert pack["parameters"]["required"] == ["order"]
    assert "has no attribute gone" in horae("functions", "show", "gone", "--json").json["import_error"]
    assert "wrap it in your own function" in horae("functions", "show", "system", "--json").json["import_error"]
    refused = horae("jobs", "create", "packing", "--python", "pack", "--arg", "order=x")
    assert "target.arguments.order: must be a whole number" in refused.err

    assert (
        horae("jobs", "create", "packing", "--python", "pack", "--arg", "order=6", "--arg", "day=2026-05-01").code == 0
    )
    packed = horae("jobs", "run", "packing", "--wait", "--json").json
    assert packed["result"] == {"order": 7, "day": 2026, "key": None}, "without the worker's secrets"
    assert horae("jobs", "create", "shipping", "--python", "ship", "--arg", "order=6").code == 0
    assert horae("jobs", "run", "shipping", "--wait", "--json").json["result"] == 12
    assert horae("jobs", "create", "lost", "--python", "gone").code == 0
    assert "no worker can import the function" in horae("why", "lost").out

    assert horae("functions", "delete", "ship", "--yes").code == 0
    run_async(until(lambda: "python:ship" not in horae("workers", "--json").out, timeout=60))
    assert "python:pack" in horae("workers", "--json").out
    assert horae("functions", "show", "ship").code == 3, "its worker does not bring it back"


def test_modules_that_cannot_be_imported(horae: Horae):
    answer = horae("functions", "register", "--import", "no_such_module")
    assert answer.code == 2
    assert answer.err == "horae: cannot import tasks from no_such_module: No module named 'no_such_module'\n"
