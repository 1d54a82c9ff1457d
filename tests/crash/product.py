"""The product's own services in one process of the harness: its clock, its patience, its start.

Nothing of the product is replaced: every flow runs as it is wired, against whatever the environment
names.  Only time is the harness's, because leases last minutes.
"""

from __future__ import annotations

import importlib
import pkgutil
import struct
import sys
import time
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import boto3
from botocore.config import Config

import chalicelib
from chalicelib import settings
from chalicelib.clock import SystemClock
from chalicelib.support.intents.classify import classify
from chalicelib.vendors.http import Call, VendorClient
from chalicelib.wiring import Services, outreach

SERVICES = ("dynamodb", "sqs", "ssm", "secretsmanager", "sesv2")


class SharedShift:
    """How many seconds on all clocks are: one number in a file, also for a process that was stopped."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def seconds(self) -> float:
        """As it is now."""
        return float(struct.unpack("d", self._path.read_bytes())[0])

    @seconds.setter
    def seconds(self, seconds: float) -> None:
        new = self._path.with_suffix(".new")
        new.write_bytes(struct.pack("d", seconds))
        new.rename(self._path)  # whoever reads sees the old one or the new one

    def now(self) -> float:
        """Epoch seconds."""
        return time.time() + self.seconds


class ShiftedClock(SystemClock):
    """The machine's clocks, so many seconds on: hours of leases pass between two processes."""

    def __init__(self, shift: SharedShift) -> None:
        self._shift = shift

    def now(self) -> datetime:
        return super().now() + timedelta(seconds=self._shift.seconds)

    def monotonic(self) -> float:
        return super().monotonic() + self._shift.seconds


class CheckedServices(Services):
    """A container that has seen once that its tables and its queue are its stage's."""

    def check_stage(self) -> None:
        """Seen already."""


def enter(
    environ: Mapping[str, str], *, shift: Path, patience_seconds: float | None, is_cold: bool
) -> Services:
    """The services of this process.

    Args:
        environ: the function's environment.
        shift: the file of `SharedShift`.
        patience_seconds: no vendor call may take longer; None leaves each its own deadline.
        is_cold: the container does what it does once.
    """
    if patience_seconds is not None:
        _be_impatient(patience_seconds)
    kind = Services if is_cold else CheckedServices
    made = kind(settings.load(environ), clock=ShiftedClock(SharedShift(shift)))
    sys.modules["chalicelib.wiring"]._services[:] = [made]
    return made


def warm_up() -> None:
    """What a cold start spends most of its time on, done once for all processes forked from here."""
    for module in pkgutil.walk_packages(chalicelib.__path__, "chalicelib."):
        importlib.import_module(module.name)
    classify("where is my order")  # grows the tree of phrases
    boto3.setup_default_session()
    for service in SERVICES:
        boto3.client(
            service,
            region_name="us-east-1",
            aws_access_key_id="nobody",
            aws_secret_access_key="nobody",
        ).close()


def _be_impatient(seconds: float) -> None:
    """So that a vendor that never answers does not take long."""
    send = VendorClient.send

    def hurried(self: VendorClient, call: Call, *, deadline_seconds: float) -> dict[str, Any]:
        return send(self, call, deadline_seconds=min(deadline_seconds, seconds))

    VendorClient.send = hurried  # type: ignore[method-assign]
    outreach.SES_CONFIG = outreach.SES_CONFIG.merge(Config(read_timeout=seconds))
