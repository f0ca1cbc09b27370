"""`horae up` with the children of a test: `driver.py '{"serve": [command…], …}'`."""

import json
import sys

from horae import config
from horae.cli import up
from horae.domain.errors import HoraeError


def prepare(settings: config.Settings, token: str | None) -> str:
    (settings.data_dir / "prepared.txt").write_text(str(token))
    return token or "a-new-token"


try:
    sys.exit(up.run(config.load(up=True), prepare, json.loads(sys.argv[1])))
except HoraeError as error:
    sys.exit(f"horae: {error}")
