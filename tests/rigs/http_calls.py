"""Three kinds of call to an invented vendor, and the client that makes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from chalicelib.errors import ProviderError
from chalicelib.vendors.breaker import Breaker
from chalicelib.vendors.http import Call, VendorApi, VendorClient
from chalicelib.vendors.level import LevelPace
from chalicelib.vendors.rate_limit import RateLimit
from tests.rigs.fakes import ManualClock, RecordingLog
from tests.rigs.vendor_server import CANARY, Vendor

READ = Call("read", "GET", "/v1/things/7", is_repeatable=True)

WRITE = Call("write", "PUT", "/v1/things/7", is_repeatable=True, body={"text": CANARY})

SEND = Call("send", "POST", "/v1/things/7/send", is_repeatable=False, body={"text": CANARY})

EVERY_CALL = pytest.mark.parametrize("call", [READ, WRITE, SEND], ids=lambda call: call.operation)


@pytest.fixture
def client_of(clock: ManualClock, log: RecordingLog) -> Callable[..., VendorClient]:
    def build(
        url: str,
        *,
        authorize: Callable[[bool], Mapping[str, str]] = lambda _refresh: {"x-key": "secret"},
        error_code_at: tuple[str, ...] = (),
        **changes: object,
    ) -> VendorClient:
        parts: dict[str, Any] = {
            "api": VendorApi(
                provider="acme", base_url=url, authorize=authorize, error_code_at=error_code_at
            ),
            "clock": clock,
            "log": log,
            "rate_limit": RateLimit(provider="acme", clock=clock, pace=LevelPace(1000)),
            "breaker": Breaker("acme", clock, failures_to_open=100),
        }
        return VendorClient(**(parts | changes))

    return build


@pytest.fixture
def client(vendor: Vendor, client_of: Callable[..., VendorClient]) -> VendorClient:
    return client_of(vendor.url)


def failure(client: VendorClient, call: Call, *, seconds: float = 5.0) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        client.send(call, deadline_seconds=seconds)
    return caught.value
