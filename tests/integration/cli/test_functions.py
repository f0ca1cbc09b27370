"""`horae functions`, beside a running `horae up`."""

from tests.integration.cli.conftest import Horae

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


def test_modules_that_cannot_be_imported(horae: Horae):
    answer = horae("functions", "register", "--import", "no_such_module")
    assert answer.code == 2
    assert answer.err == "horae: cannot import tasks from no_such_module: No module named 'no_such_module'\n"
