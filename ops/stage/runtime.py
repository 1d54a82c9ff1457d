"""The Python of the functions, pinned in `.python-version`: Chalice would take the deployer's own."""

from __future__ import annotations

import sys

from ops.stage.config import CONFIG

PIN = CONFIG.parents[1] / ".python-version"


def pinned() -> str:
    """The pinned version, such as ``3.11``."""
    return PIN.read_text(encoding="utf-8").strip()


def name() -> str:
    """What Lambda calls it, such as ``python3.11``."""
    return f"python{pinned()}"


def refuse_other() -> None:
    """Refuse to package for another Python than the pinned one.

    Raises:
        SystemExit: this is another; names both.
    """
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    if here != pinned():
        sys.exit(
            f"the functions run on Python {pinned()} (.python-version), and Chalice packages for the"
            f" Python that it runs on, which is {here}: make clean, then make PYTHON=python{pinned()}"
        )
