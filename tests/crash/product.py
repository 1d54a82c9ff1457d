"""The product's own services in one process of the harness: clock, deadlines and cold start.

Nothing of the product is replaced: every flow runs as it is wired, against the addresses in the
environment.  Only the clock is the harness's, because leases last minutes.
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

import boto3
from botocore.config import Config

import chalicelib
from chalicelib import settings
from chalicelib.clock import SystemClock
from chalicelib.outreach.ses import client as ses
from chalicelib.support.intents.classify import classify
from chalicelib.vendors.http import Call, VendorClient
from chalicelib.vendors.http_answers import VendorAnswer
from chalicelib.wiring import Services

SERVICES = ("dynamodb", "sqs", "ssm", "secretsmanager", "sesv2")


class SharedShift:
    """The shift of all clocks in seconds, kept in a file that stopped processes read too."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def seconds(self) -> float:
        """The current shift."""
        return float(struct.unpack("d", self._path.read_bytes())[0])

    @seconds.setter
    def seconds(self, seconds: float) -> None:
        new = self._path.with_suffix(".new")
        new.write_bytes(struct.pack("d", seconds))
        new.rename(self._path)  # a reader sees either the old or the new value

    def now(self) -> float:
        """Epoch seconds."""
        return time.time() + self.seconds


class ShiftedClock(SystemClock):
    """The machine's clocks plus the shift: leases can end between two processes."""

    def __init__(self, shift: SharedShift) -> None:
        self._shift = shift

    def now(self) -> datetime:
        return super().now() + timedelta(seconds=self._shift.seconds)

    def monotonic(self) -> float:
        return super().monotonic() + self._shift.seconds


class CheckedServices(Services):
    """A container that has already checked that its tables and queue belong to its stage."""

    def check_stage(self) -> None:
        """Already checked."""


def enter(
    environ: Mapping[str, str], *, shift: Path, patience_seconds: float | None, is_cold: bool
) -> Services:
    """The services of this process.

    Args:
        environ: the function's environment.
        shift: the file of `SharedShift`.
        patience_seconds: the longest vendor call; None leaves each call its own deadline.
        is_cold: the container runs the checks of a cold start.
    """
    if patience_seconds is not None:
        _shorten_deadlines(patience_seconds)
    kind = Services if is_cold else CheckedServices
    made = kind(settings.load(environ), clock=ShiftedClock(SharedShift(shift)))
    sys.modules["chalicelib.wiring"]._services[:] = [made]
    return made


def warm_up() -> None:
    """Do the slow parts of a cold start once for all processes forked from here."""
    for module in pkgutil.walk_packages(chalicelib.__path__, "chalicelib."):
        importlib.import_module(module.name)
    classify("where is my order")  # builds the tree of phrases
    boto3.setup_default_session()
    for service in SERVICES:
        boto3.client(
            service,
            region_name="us-east-1",
            aws_access_key_id="nobody",
            aws_secret_access_key="nobody",
        ).close()


def _shorten_deadlines(seconds: float) -> None:
    """Shorten the deadlines, so that a vendor that never answers does not take long."""
    exchange = VendorClient.exchange

    def with_short_deadline(
        self: VendorClient, call: Call, *, deadline_seconds: float
    ) -> VendorAnswer:
        return exchange(self, call, deadline_seconds=min(deadline_seconds, seconds))

    VendorClient.exchange = with_short_deadline  # type: ignore[method-assign]
    ses.SES_CONFIG = ses.SES_CONFIG.merge(Config(read_timeout=seconds))
