"""A scripted vendor and what its clients are made of."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # whatever pytest's import mode is

import vendor_server
from fakes import ManualClock, RecordingLog
from http_calls import client, client_of  # noqa: F401 - pytest finds fixtures by name
from richpanel_rig import live, tickets  # noqa: F401 - likewise
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
