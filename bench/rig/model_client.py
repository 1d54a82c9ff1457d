"""The real client of OpenAI over a simulated one, as fast as it answers; and a log that is not read."""

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
        """See `Log.event`."""

    def metric(self, name: str, value: float = 1, **dimensions: object) -> None:
        """See `Log.metric`."""


def openai_at(url: str) -> openai.OpenAI:
    """A client with nothing kept yet."""
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
