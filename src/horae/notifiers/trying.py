"""One try to send something: every result becomes a `Sent`, whose error contains no secret."""

from __future__ import annotations

import asyncio
import errno
import os
import re
import smtplib
import socket
import ssl
from collections.abc import Coroutine, Mapping
from typing import Any

import aiohttp

from horae.domain.notify.delivery import Sent
from horae.domain.secrets.redaction import redactor
from horae.domain.text.checks import storable
from horae.notifiers.addresses import AddressRefused

_LONGEST = 500  # characters of an error
_TOKEN = 8  # characters from which a part of a URL may be one


async def tried(
    work: Coroutine[Any, Any, Sent], timeout: float, secrets: Mapping[str, str], server: str = "the server"
) -> Sent:
    sent = await _outcome(work, timeout, server)
    if sent.error is None:
        return sent
    return Sent(_clean(sent.error, secrets), sent.permanent, sent.retry_after, sent.status)


async def _outcome(work: Coroutine[Any, Any, Sent], timeout: float, server: str) -> Sent:
    try:
        async with asyncio.timeout(timeout):
            return await work
    except TimeoutError:
        return Sent(f"no answer within {timeout:g} s")
    except AddressRefused as error:
        return Sent(str(error), permanent=True)
    except aiohttp.ClientConnectorError as error:
        return Sent(f"cannot connect to {error.host}:{error.port}: {_reason(error.os_error)}")
    except aiohttp.ClientOSError as error:
        return Sent(f"the connection failed: {_reason(error)}")
    except smtplib.SMTPException as error:
        return Sent(f"the mail server ended the conversation: {error}")
    except OSError as error:
        return Sent(f"cannot connect to {server}: {_reason(error)}")
    except aiohttp.ClientError as error:
        return Sent(f"{type(error).__name__}: {error}")
    except KeyError as error:
        return Sent(f"the channel lacks target.{error.args[0]}: set it again", permanent=True)
    except Exception as error:  # nothing a receiver does may end the duty
        return Sent(f"{type(error).__name__}: {error}", permanent=True)


def _reason(error: OSError) -> str:
    """In words; Python's own name functions and source files."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted: {error.verify_message}"
    if isinstance(error, socket.gaierror):
        return "its name cannot be resolved"
    if error.errno is not None and error.errno in errno.errorcode:
        return os.strerror(error.errno).lower()
    return error.strerror or str(error)


def _clean(error: str, secrets: Mapping[str, str]) -> str:
    """One line that users see and databases can store: without secrets."""
    text = redactor(_hidden(secrets)).redact(" ".join((storable(error) or "").split()))
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _hidden(secrets: Mapping[str, str]) -> dict[str, str]:
    """Secrets, and the parts of a URL that are as good as a password."""
    parts = {
        f"{name} {place}": part
        for name, value in secrets.items()
        if "://" in value
        for place, part in enumerate(re.split(r"[/?&=@:]", value.partition("://")[2])[1:])
        if len(part) >= _TOKEN
    }
    return {**secrets, **parts}
