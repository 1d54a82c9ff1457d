"""Richpanel's list of open tickets, whose filter, order and end are not trusted."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from chalicelib.errors import AuthError, TransientError
from chalicelib.support.richpanel.calls import MAX_PAGES
from chalicelib.support.richpanel.client import Richpanel
from chalicelib.support.tickets import Ticket
from local.vendors.richpanel import SimulatedRichpanel
from tests.rigs import vendor_server as does
from tests.rigs.richpanel import SINCE
from tests.rigs.vendor_server import Vendor


def listed(*numbers: int, next_page: str | None = None, key: str = "ticket", **fields: Any) -> Any:
    body = [
        {
            "id": str(n),
            "status": "OPEN",
            "updated_at": f"2026-11-20T09:{59 - n % 60:02}:00Z",
            **fields,
        }
        for n in numbers
    ]
    return does.answer(200, {"count": 99, "next_page": next_page, key: body})


def ids(tickets: Richpanel) -> list[str]:
    return [ticket.id for ticket in listing(tickets)]


def listing(tickets: Richpanel, since: datetime = SINCE) -> list[Ticket]:
    """Every page until the one that says that it is the last, or repeats the one before."""
    found: list[Ticket] = []
    before = ""
    for number in range(1, 9):
        page = tickets.read_open_tickets(since=since, page=number)
        if page.fingerprint == before:
            break
        found += page.tickets
        before = page.fingerprint
        if page.is_last:
            break
    return found


@pytest.mark.parametrize("key", ["ticket", "tickets"])
def test_open_tickets_are_listed_page_by_page(tickets: Richpanel, vendor: Vendor, key: str):
    vendor.will(listed(1, 2, key=key, next_page="/v1/tickets?page=2"), listed(3, key=key))

    assert ids(tickets) == ["1", "2", "3"]
    assert [request.path.split("&")[0] for request in vendor.requests] == [
        "/v1/tickets?page=1",
        "/v1/tickets?page=2",
    ]
    query = "per_page=100&status=OPEN&sortKey=updatedAt&order=DESC&updated_at=2026-11-20"
    assert vendor.requests[0].path.endswith(query)


def test_the_vendors_filter_is_not_trusted(tickets: Richpanel, vendor: Vendor):
    vendor.will(
        does.answer(
            200,
            {
                "ticket": [
                    {"id": "open", "status": "OPEN", "updated_at": "2026-11-20T09:00:00Z"},
                    {"id": "closed", "status": "CLOSED", "updated_at": "2026-11-20T09:00:00Z"},
                    {"id": "old", "status": "OPEN", "updated_at": "2026-11-20T07:59:59Z"},
                    {"id": "undated", "status": "OPEN"},
                    {"status": "OPEN", "updated_at": "2026-11-20T09:00:00Z"},
                    {"id": "open", "status": "OPEN", "updated_at": "2026-11-20T09:00:00Z"},
                ]
            },
        )
    )

    assert sorted(set(ids(tickets))) == ["open", "undated"]


def test_a_ticket_that_moved_between_pages_is_listed_again(tickets: Richpanel, vendor: Vendor):
    """Judging a ticket twice does no harm; remembering all of them would cost memory."""
    vendor.will(listed(1, 2, next_page="2"), listed(2, 3))

    assert ids(tickets) == ["1", "2", "2", "3"]


def test_a_ticket_is_found_by_the_number_people_see(
    live_client: Richpanel, richpanel: SimulatedRichpanel
):
    richpanel.add_ticket("<CAMx@mail.example>", comments=["hello"])

    found = live_client.read_ticket_by_number(1001)

    assert found is not None
    assert (found.id, found.number, len(found.comments)) == ("<CAMx@mail.example>", 1001, 1)
    assert live_client.read_ticket_by_number(1002) is None


def test_listing_stops_at_old_tickets_when_sorted_newest_first(tickets: Richpanel, vendor: Vendor):
    old = "2026-11-19T00:00:00Z"
    vendor.will(listed(1, next_page="2"), listed(2, next_page="3", updated_at=old), listed(3))

    assert ids(tickets) == ["1"]
    assert len(vendor.requests) == 2


def test_listing_continues_where_the_vendor_sorts_oldest_first(tickets: Richpanel, vendor: Vendor):
    oldest_first = [
        {"id": "1", "status": "OPEN", "updated_at": "2026-11-18T00:00:00Z"},
        {"id": "2", "status": "OPEN", "updated_at": "2026-11-19T00:00:00Z"},
    ]
    vendor.will(does.answer(200, {"ticket": oldest_first, "next_page": "2"}), listed(3))

    assert ids(tickets) == ["3"]


def test_listing_ends_even_if_the_vendor_never_says_so(tickets: Richpanel, vendor: Vendor):
    vendor.will(listed(1, next_page="again"))

    assert ids(tickets) == ["1"]
    assert len(vendor.requests) == 2


def test_a_key_that_may_not_list_says_so_and_still_reads(
    live_client: Richpanel, richpanel: SimulatedRichpanel
):
    richpanel.set_modes(list_allowed=False)
    richpanel.add_ticket("1042")

    with pytest.raises(AuthError, match="403"):
        live_client.read_open_tickets(since=SINCE, page=1)
    assert live_client.read_ticket("1042").id == "1042"


def test_the_simulated_ticket_list_is_parsed(live_client: Richpanel, richpanel: SimulatedRichpanel):
    for number in range(3):
        richpanel.add_ticket(f"t-{number}", comments=["hello"])
    richpanel.add_ticket("done", status="CLOSED")

    found = {ticket.id for ticket in listing(live_client, datetime.now(UTC) - timedelta(1))}

    assert found == {"t-0", "t-1", "t-2"}


def named(key: str, *names: str, next_page: str | None = None) -> Any:
    rows = [{"id": f"id-{name}", "name": name} for name in names]
    return does.answer(200, {key: rows, "next_page": next_page})


def test_a_customers_tickets_tags_and_teams_are_read_to_the_last_page(
    tickets: Richpanel, vendor: Vendor
):
    """Entries on the second page would be missed by an erase, or reported as missing."""
    vendor.will(listed(1, 2, next_page="2"), listed(3))
    assert tickets.ticket_ids_of_customer("email", "j@example.com") == ["1", "2", "3"]
    vendor.will(named("tag", "a", next_page="2"), named("tag", "b"))
    assert tickets.tag_names() == {"a", "b"}
    vendor.will(named("team", "a", next_page="2"), named("team", "b"))
    assert tickets.team_names() == {"a", "b"}
    asked = ["page=1&per_page=100", "page=2&per_page=100"]
    assert [request.path.partition("?")[2] for request in vendor.requests] == asked * 3


def test_a_list_ends_where_the_vendor_repeats_a_page(tickets: Richpanel, vendor: Vendor):
    vendor.will(listed(1, 2, next_page="again"))

    assert tickets.ticket_ids_of_customer("email", "j@example.com") == ["1", "2"]
    assert len(vendor.requests) == 2


def test_an_endless_list_is_not_treated_as_complete(tickets: Richpanel, vendor: Vendor):
    vendor.will(*(listed(number, next_page="more") for number in range(MAX_PAGES + 1)))

    with pytest.raises(TransientError, match="too_many_pages"):
        tickets.ticket_ids_of_customer("email", "j@example.com")


def test_an_unknown_customer_has_no_tickets(tickets: Richpanel, vendor: Vendor):
    vendor.will(does.answer(404))

    assert tickets.ticket_ids_of_customer("phone", "+15550100001") == []
