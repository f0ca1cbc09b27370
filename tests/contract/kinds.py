"""For the few tests that make sense on some databases only: `@on_servers` runs where rows are locked one by one."""

import pytest


def on(*kinds: str) -> pytest.MarkDecorator:
    params = [pytest.param(kind, marks=getattr(pytest.mark, kind)) for kind in kinds]
    return pytest.mark.parametrize("world", params, indirect=True)


on_servers = on("postgresql", "mysql")
on_postgresql = on("postgresql")
