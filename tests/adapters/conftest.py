"""A scripted vendor and what its clients are made of."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import vendor_server
from vendor_doubles import ManualClock, RecordingLog
from vendor_server import Vendor


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def log() -> RecordingLog:
    return RecordingLog()


@pytest.fixture
def vendor() -> Iterator[Vendor]:
    with vendor_server.running() as vendor:
        yield vendor
