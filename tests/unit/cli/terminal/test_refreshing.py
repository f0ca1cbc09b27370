"""`--watch`: repeats the output until Ctrl-C."""

import pytest
import typer
from typer.testing import CliRunner

from horae.cli.terminal import refreshing
from horae.cli.terminal.refreshing import watched


def app_of(shown: list[str], often: int) -> typer.Typer:
    app = typer.Typer()

    @app.command()
    @watched
    def show(name: str, loud: bool = False) -> None:
        shown.append(name.upper() if loud else name)
        if len(shown) >= often:
            raise KeyboardInterrupt

    return app


def test_once_without_it():
    shown: list[str] = []
    assert CliRunner().invoke(app_of(shown, 9), ["x", "--loud"]).exit_code == 0
    assert shown == ["X"]


def test_again_and_again_with_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(refreshing, "PAUSE", 0.001)
    shown: list[str] = []
    CliRunner().invoke(app_of(shown, 3), ["x", "-w"])
    assert shown == ["x"] * 3
