"""`horae up` with the children of a test: `driver.py '{"serve": [command…], …}'`."""

import json
import sys
from dataclasses import replace

from horae import config
from horae.cli.up import together, up
from horae.cli.up.fork import program
from horae.domain.errors import HoraeError


def prepare(settings: config.Settings, token: str | None) -> str:
    (settings.data_dir / "prepared.txt").write_text(str(token))
    return token or "a-new-token"


together.SLACK = 1.0
try:
    settings = replace(config.load(up=True), grace=0.5)
    environment = up.environment(settings)
    children = {name: program(command, environment) for name, command in json.loads(sys.argv[1]).items()}
    sys.exit(together.run(settings, prepare, children))
except HoraeError as error:
    sys.exit(f"horae: {error}")
