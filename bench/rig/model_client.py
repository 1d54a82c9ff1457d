"""The real client of OpenAI for a simulated server, without rate limit; and a log that keeps nothing."""

from __future__ import annotations

from chalicelib.clock import SystemClock
from chalicelib.vendors import openai
from chalicelib.vendors.breaker import Breaker
from chalicelib.vendors.http import VendorApi, VendorClient
from chalicelib.vendors.level import LevelPace
from chalicelib.vendors.rate_limit import RateLimit
from local.vendors.openai import API_KEY

_FAST, _FAILURES = 1_000_000, 100


class UnreadLog:
    """A `Log` that keeps nothing."""

    def event(self, name: str, **fields: object) -> None:
        """Drop an event."""

    def metric(self, name: str, value: float = 1, **dimensions: object) -> None:
        """Drop a metric."""


def openai_at(url: str) -> openai.OpenAI:
    """A new client of OpenAI for the server at a URL."""
    clock = SystemClock()
    client = VendorClient(
        api=VendorApi(
            provider=openai.PROVIDER,
            base_url=url,
            authorize=openai.bearer(lambda _: API_KEY),
            error_code_at=openai.ERROR_CODE_AT,
        ),
        clock=clock,
        log=UnreadLog(),
        rate_limit=RateLimit(provider=openai.PROVIDER, clock=clock, pace=LevelPace(_FAST)),
        breaker=Breaker(openai.PROVIDER, clock, failures_to_open=_FAILURES),
    )
    return openai.OpenAI(client=client, clock=clock)
