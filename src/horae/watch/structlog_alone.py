"""Imports structlog without rich, which it would load to format tracebacks; ours are plain text. That saves every
process 3 MiB. The first module of a process that imports structlog must be this one."""

from __future__ import annotations

import sys

if "structlog" not in sys.modules and "rich" not in sys.modules:
    sys.modules["rich"] = None  # type: ignore[assignment]  # an import of it fails as if it were not installed
    try:
        import structlog  # noqa: F401
    finally:
        del sys.modules["rich"]
