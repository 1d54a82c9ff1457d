"""The functions' Python, pinned in `.python-version`; Chalice alone would use the deployer's."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from datetime import date
from typing import NamedTuple

from ops.stage.config import CONFIG

PIN = CONFIG.parents[1] / ".python-version"


class RuntimeEnd(NamedTuple):
    """The dates on which Lambda ends its support of a runtime.

    Attributes:
        deprecated: no security patches from then on.
        no_create: no new function can use the runtime.
        no_update: no function with the runtime can be changed, so nothing can be deployed.
    """

    deprecated: date
    no_create: date
    no_update: date


ENDS: Mapping[str, RuntimeEnd] = {
    "python3.11": RuntimeEnd(date(2027, 6, 30), date(2027, 7, 31), date(2027, 8, 31)),
    "python3.12": RuntimeEnd(date(2028, 10, 31), date(2028, 11, 30), date(2029, 1, 10)),
    "python3.13": RuntimeEnd(date(2029, 6, 30), date(2029, 7, 31), date(2029, 8, 31)),
    "python3.14": RuntimeEnd(date(2029, 6, 30), date(2029, 7, 31), date(2029, 8, 31)),
}
"""The dates forecast in https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtimes.html."""


def pinned() -> str:
    """The pinned version, such as ``3.11``."""
    return PIN.read_text(encoding="utf-8").strip()


def name() -> str:
    """Lambda's name of the pinned version, such as ``python3.11``."""
    return f"python{pinned()}"


def refuse_other() -> None:
    """Refuse to package for another Python than the pinned one.

    Raises:
        SystemExit: this process runs another Python; names both.
    """
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    if here != pinned():
        sys.exit(
            f"the functions run on Python {pinned()} (.python-version), and Chalice packages for the"
            f" Python that it runs on, which is {here}: make clean, then make PYTHON=python{pinned()}"
        )


def refuse_ended(today: date) -> None:
    """Refuse to package for a runtime that Lambda no longer accepts.

    Raises:
        SystemExit: names the date and how to pin another version.
    """
    end = ENDS.get(name())
    if end is not None and today >= end.no_create:
        sys.exit(
            f"Lambda makes no function with {name()} since {end.no_create}, and changes none from"
            f" {end.no_update} on: pin a newer Python in .python-version, then make clean"
        )
