"""The adapter of Richpanel in front of scripted answers, and of the simulated vendor."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from chalicelib.support.richpanel.calls import key_header
from chalicelib.support.richpanel.client import Richpanel
from chalicelib.support.tickets import Ticket
from chalicelib.vendors.breaker import Breaker
from chalicelib.vendors.http import VendorApi, VendorClient
from chalicelib.vendors.level import LevelPace
from chalicelib.vendors.rate_limit import RateLimit
from local.vendors.richpanel import API_KEY, SimulatedRichpanel
from tests.rigs import vendor_server as does
from tests.rigs.fakes import ManualClock, RecordingLog
from tests.rigs.vendor_server import Vendor

SINCE = datetime(2026, 11, 20, 8, tzinfo=UTC)

MESSAGE_ID = "<CAM+x/y=%2F@mail.gmail.com>"

ODD_IDS = ["1042", "453347427_org_186779", MESSAGE_ID, "a/b?c#d", "ü 1", "%3C", "..x"]


def adapter(
    url: str, clock: ManualClock, log: RecordingLog, *, key: str = API_KEY, **options: Any
) -> Richpanel:
    client = VendorClient(
        api=VendorApi(
            provider="richpanel", base_url=url, authorize=key_header(lambda _refresh: key)
        ),
        clock=clock,
        log=log,
        rate_limit=RateLimit(provider="richpanel", clock=clock, pace=LevelPace(1000)),
        breaker=Breaker("richpanel", clock, failures_to_open=100),
    )
    return Richpanel(client=client, clock=clock, **options)


@pytest.fixture
def tickets(vendor: Vendor, clock: ManualClock, log: RecordingLog) -> Richpanel:
    """The adapter in front of scripted answers."""
    return adapter(vendor.url, clock, log)


@pytest.fixture
def live_client(richpanel: SimulatedRichpanel, clock: ManualClock, log: RecordingLog) -> Richpanel:
    """The adapter in front of the simulated Richpanel."""
    richpanel.set_modes(rate_limit=None)
    return adapter(richpanel.url, clock, log)


def read(tickets: Richpanel, vendor: Vendor, **fields: Any) -> Ticket:
    vendor.will(does.answer(200, {"ticket": {"id": "7", **fields}}))
    return tickets.read_ticket("7")
