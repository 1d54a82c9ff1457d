"""How far a vendor's clock is from ours, and when that is reported."""

from contextlib import nullcontext
from datetime import timedelta
from email.utils import format_datetime

import pytest

from chalicelib.errors import TransientError
from chalicelib.vendors.breaker import Breaker
from chalicelib.vendors.clock_skew import OUR_CLOCKS, REPORTED_FROM_SECONDS, clock_skew
from chalicelib.vendors.http import Call, VendorApi, VendorClient
from chalicelib.vendors.level import LevelPace
from chalicelib.vendors.rate_limit import RateLimit
from tests.rigs import vendor_server as does
from tests.rigs.fakes import NOON

READ = Call("read", "GET", "/a", is_repeatable=True)
SECOND = timedelta(seconds=1)


def shown(moment):
    return format_datetime(moment, usegmt=True)


@pytest.fixture
def client(vendor, clock, log):
    return VendorClient(
        api=VendorApi(provider="acme", base_url=vendor.url, authorize=lambda _refresh: {}),
        clock=clock,
        log=log,
        rate_limit=RateLimit(provider="acme", clock=clock, pace=LevelPace(1000)),
        breaker=Breaker("acme", clock),
    )


@pytest.mark.parametrize("apart", [-7_000, -130, 0, 130, 7_000])
def test_the_true_difference_lies_within_the_bounds(apart):
    """The header has whole seconds, and was made at any moment of the exchange."""
    took = timedelta(seconds=3)
    for made_after in (timedelta(), took / 2, took):
        for fraction in (timedelta(), timedelta(microseconds=999_999)):
            theirs = NOON + fraction + made_after + timedelta(seconds=apart)
            skew = clock_skew(shown(theirs), NOON + fraction, NOON + fraction + took)
            assert skew.least <= timedelta(seconds=apart) < skew.most
            assert skew.most - skew.least == took + SECOND


def test_a_time_of_ours_is_the_vendors_within_the_bounds_and_the_spread_of_our_hosts():
    skew = clock_skew(shown(NOON + timedelta(hours=1)), NOON, NOON + 2 * SECOND)
    hour_later = NOON + timedelta(hours=1)
    assert skew.earliest(NOON) == hour_later - 2 * SECOND - OUR_CLOCKS
    assert skew.latest(NOON) == hour_later + SECOND + OUR_CLOCKS


@pytest.mark.parametrize("header", [None, "", "yesterday", "Fri, 99 Nov 2026 12:00:00 GMT", "0"])
def test_an_unreadable_date_shows_no_difference(header):
    assert clock_skew(header, NOON, NOON) is None


def test_a_date_without_a_zone_is_utc():
    assert clock_skew("Fri, 20 Nov 2026 12:00:00 -0000", NOON, NOON).least == timedelta()


def test_clocks_that_may_agree_differ_by_nothing():
    assert clock_skew(shown(NOON), NOON - SECOND, NOON + SECOND).seconds == 0


@pytest.mark.parametrize("status", [200, 500])
@pytest.mark.parametrize("sign", [-1, 1])
def test_a_great_difference_is_measured_and_reported_with_every_answer(
    client, vendor, log, status, sign
):
    # A clock ahead is certain by whole seconds only: the header may be a second old.
    apart = REPORTED_FROM_SECONDS + (0 if sign > 0 else 1)
    vendor.will(does.answer(status, {}, Date=shown(NOON + sign * apart * SECOND)))
    with nullcontext() if status == 200 else pytest.raises(TransientError):
        client.exchange(READ, deadline_seconds=5)
    expected = ("mw.vendor.clock_skew_seconds", REPORTED_FROM_SECONDS, {"provider": "acme"})
    assert expected in log.metrics


def test_a_small_difference_is_not_reported(client, vendor, log):
    near = (REPORTED_FROM_SECONDS - 1) * SECOND
    for header in (shown(NOON + near), shown(NOON - near), ""):
        vendor.will(does.answer(200, {}, Date=header))
        client.exchange(READ, deadline_seconds=5)
    assert log.metrics == []
