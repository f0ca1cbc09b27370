"""Device sign-in: the command line shows a code, and the user approves it in the portal, in any browser."""

from __future__ import annotations

import socket
import threading
from typing import TYPE_CHECKING

from horae.cli.terminal.printing import say
from horae.domain.errors import HoraeError
from horae.domain.people.device import SLOWER

if TYPE_CHECKING:
    from horae.sdk.accounts import Tokens
    from horae.sdk.client import Client


def sign_in(client: Client, url: str) -> Tokens:
    """Waits until it is approved. Ctrl-C gives up: the code expires."""
    device = client.account.begin_device(f"horae on {socket.gethostname()}")
    at = device.verification_url or f"{url.rstrip('/')}{device.verification_path}"
    say(f"Open {at}?code={device.user_code}")
    say(f"and check that the page shows the code {device.user_code}. Waiting for your approval …")
    pause, interval = threading.Event(), float(device.interval)
    while True:
        pause.wait(interval)
        found = client.account.poll_device(device.device_code)
        match found.status:
            case "signed_in":
                from horae.sdk.accounts import Tokens

                return Tokens(found.tokens or {})
            case "slow_down":
                interval += SLOWER
            case "access_denied":
                raise HoraeError("the sign-in was denied in the browser")
            case "expired_token":
                raise HoraeError("the code has expired: run `horae login` again")
