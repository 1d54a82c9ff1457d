"""The fixtures of tests that call a scripted vendor."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.rigs import vendor_server
from tests.rigs.fakes import ManualClock, RecordingLog
from tests.rigs.vendor_server import Vendor


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
