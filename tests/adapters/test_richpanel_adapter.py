"""Richpanel as it was seen to behave: odd answers read, changes repeatable, replies sent once."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import vendor_server as does
from vendor_doubles import ManualClock, RecordingLog
from vendor_server import CANARY, Vendor

from chalicelib.actions import AddTag, Assign, RemoveTag
from chalicelib.adapters.breaker import Breaker
from chalicelib.adapters.http import VendorClient
from chalicelib.adapters.rate_limit import RateLimit
from chalicelib.adapters.richpanel import Richpanel
from chalicelib.adapters.richpanel_calls import key_header
from chalicelib.errors import (
    AuthError,
    PermanentError,
    ProviderError,
    TransientError,
    UncertainError,
)
from chalicelib.ports import Ticket
from local.vendors.richpanel import API_KEY
from local.vendors.richpanel import Richpanel as SimulatedRichpanel

SINCE = datetime(2026, 11, 20, 8, tzinfo=UTC)
MESSAGE_ID = "<CAM+x/y=%2F@mail.gmail.com>"
ODD_IDS = ["1042", "453347427_org_186779", MESSAGE_ID, "a/b?c#d", "ü 1", "%3C", "..x"]


def adapter(
    url: str, clock: ManualClock, log: RecordingLog, *, key: str = API_KEY, **options: Any
) -> Richpanel:
    client = VendorClient(
        provider="richpanel",
        base_url=url,
        authorize=key_header(lambda _refresh: key),
        clock=clock,
        log=log,
        rate_limit=RateLimit("richpanel", clock, clock.sleep, requests_per_window=1000),
        breaker=Breaker("richpanel", clock, failures_to_open=100),
    )
    return Richpanel(client, clock, **options)


@pytest.fixture
def tickets(vendor: Vendor, clock: ManualClock, log: RecordingLog) -> Richpanel:
    """The adapter in front of scripted answers."""
    return adapter(vendor.url, clock, log)


@pytest.fixture
def live(richpanel: SimulatedRichpanel, clock: ManualClock, log: RecordingLog) -> Richpanel:
    """The adapter in front of the simulated Richpanel."""
    richpanel.set_modes(rate_limit=None)
    return adapter(richpanel.url, clock, log)


def read(tickets: Richpanel, vendor: Vendor, **fields: Any) -> Ticket:
    vendor.will(does.answer(200, {"ticket": {"id": "7", **fields}}))
    return tickets.read_ticket("7")


def tag(conversation_id: str, *names: str) -> list[AddTag]:
    return [AddTag(conversation_id, name, "c-1") for name in names]


# --- reading a ticket -------------------------------------------------------------------------


def test_a_ticket_is_read_with_its_comments(live: Richpanel, richpanel: SimulatedRichpanel):
    richpanel.add_ticket(
        "1042",
        comments=["Where is it?", {"body": "On its way", "operator": True}],
        tags=["vip"],
        customer_email="c@shop.example",
        customer_name="C",
        subject="Order",
    )

    ticket = live.read_ticket("1042")

    assert (ticket.id, ticket.status, ticket.is_open) == ("1042", "OPEN", True)
    assert ticket.tags == {"vip"}
    assert [(one.text, one.is_operator) for one in ticket.comments] == [
        ("Where is it?", False),
        ("On its way", True),
    ]
    assert (ticket.customer_email, ticket.customer_name) == ("c@shop.example", "C")
    assert ticket.created_at is not None
    assert ticket.created_at.tzinfo is not None


@pytest.mark.parametrize("conversation_id", ODD_IDS)
def test_any_id_reaches_its_ticket_and_no_other(
    live: Richpanel, richpanel: SimulatedRichpanel, conversation_id: str
):
    richpanel.add_ticket(conversation_id, comments=["hello"])

    assert live.read_ticket(conversation_id).id == conversation_id
    live.add_tags(tag(conversation_id, "vip"), deadline_seconds=5)

    assert richpanel.tags_of(conversation_id) == {"vip"}


@pytest.mark.parametrize("conversation_id", ["", ".", ".."])
def test_an_id_that_would_name_another_address_is_refused_before_sending(
    tickets: Richpanel, vendor: Vendor, conversation_id: str
):
    """A path's dot segments are resolved on the way, and an empty one names the list."""
    for attempt in (
        lambda: tickets.read_ticket(conversation_id),
        lambda: tickets.add_tags(tag(conversation_id, "vip"), deadline_seconds=5),
    ):
        with pytest.raises(PermanentError, match="invalid_id"):
            attempt()
    assert vendor.requests == []


@pytest.mark.parametrize("shown", [{"id": "8"}, {"id": 70}, {"id": "7 7"}, {}, {"id": None}])
def test_an_answer_about_another_ticket_is_refused(
    tickets: Richpanel, vendor: Vendor, shown: dict[str, object]
):
    vendor.will(does.answer(200, {"ticket": shown}))

    with pytest.raises(PermanentError, match="id_mismatch"):
        tickets.read_ticket("7")


@pytest.mark.parametrize("body", [{}, {"ticket": None}, {"ticket": []}, {"error": CANARY}])
def test_an_answer_without_a_ticket_proves_nothing(
    tickets: Richpanel, vendor: Vendor, body: object
):
    vendor.will(does.answer(200, body))

    with pytest.raises(TransientError, match="unexpected_answer") as caught:
        tickets.read_ticket("7")
    assert CANARY not in repr(vars(caught.value))
    assert caught.value.__context__ is None


def test_a_missing_ticket_is_permanent(live: Richpanel):
    with pytest.raises(PermanentError, match="404"):
        live.read_ticket("nobody")


def test_almost_anything_may_be_missing(tickets: Richpanel, vendor: Vendor):
    ticket = read(tickets, vendor)

    assert ticket == Ticket(id="7", status="", tags=frozenset(), comments=())


@pytest.mark.parametrize("junk", [None, "", 5, True, [], {}, [None, 3, "x", []], {"a": 1}])
def test_fields_of_an_unexpected_kind_are_as_good_as_missing(
    tickets: Richpanel, vendor: Vendor, junk: object
):
    names = ("tags", "comments", "customer_profile", "via", "created_at", "updated_at", "subject")

    ticket = read(tickets, vendor, status="OPEN", **dict.fromkeys(names, junk))

    assert (ticket.status, ticket.comments, ticket.created_at) == ("OPEN", (), None)


def test_a_number_for_an_id_is_the_same_id(tickets: Richpanel, vendor: Vendor):
    vendor.will(does.answer(200, {"ticket": {"id": 7, "conversation_no": "1042"}}))

    ticket = tickets.read_ticket("7")

    assert (ticket.id, ticket.number) == ("7", 1042)


@pytest.mark.parametrize(
    ("raw", "is_operator"),
    [
        ({"is_operator": True}, True),
        ({"isOperator": True}, True),
        ({"is_operator": "true"}, True),
        ({"is_operator": False, "isOperator": False}, False),
        ({"sender_type": "operator"}, True),
        ({"sender_type": "customer"}, False),
        ({"is_operator": False, "sender_type": "operator"}, False),
        ({}, False),
    ],
)
def test_f48_who_wrote_a_comment_is_read_under_either_name(
    tickets: Richpanel, vendor: Vendor, raw: dict[str, object], is_operator: object
):
    ticket = read(tickets, vendor, comments=[{"id": "c-1", **raw}])

    assert [one.is_operator for one in ticket.comments] == [is_operator]


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ({"plain_body": "plain", "body": "<p>html</p>"}, "plain"),
        ({"plain_body": "  ", "body": "<p>Hi,<br>where &amp; why?</p>"}, "Hi,\nwhere & why?"),
        ({"body": "no html, 2 < 3 &lt;ok&gt;"}, "no html, 2 < 3 <ok>"),
        ({"body": "I <3 you > me <b>so</b>"}, "I <3 you > me so"),
        (
            {"body": "<style>p{}</style><!-- [if] <b>x</b> --><div>a</div><div>b&nbsp;c</div>"},
            "a\nb c",
        ),
        ({"body": "<script>alert(1)</script>ok<script>"}, "ok"),
        ({"body": "a <!-- never closed"}, "a"),
        ({"body": "unclosed <b"}, "unclosed <b"),
        ({"body": None}, ""),
    ],
)
def test_a_comments_text_is_plain(
    tickets: Richpanel, vendor: Vendor, raw: dict[str, object], text: str
):
    ticket = read(tickets, vendor, comments=[{"id": "c-1", **raw}])

    assert ticket.comments[0].text == text


@pytest.mark.parametrize("piece", ["<", "<!--", "<a ", "<!-- -->", "<style>", "&lt;", "<p>"])
def test_f54_a_hostile_body_of_a_megabyte_is_read(tickets: Richpanel, vendor: Vendor, piece: str):
    """What is not linear would not come to an end here."""
    body = piece * (1_000_000 // len(piece))

    ticket = read(tickets, vendor, comments=[{"id": "c-1", "body": body}])

    assert len(ticket.comments[0].text) <= len(body)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("2026-11-20T09:00:00.123Z", datetime(2026, 11, 20, 9, 0, 0, 123000, tzinfo=UTC)),
        ("2026-11-20T09:00:00Z", datetime(2026, 11, 20, 9, tzinfo=UTC)),
        ("2026-11-20T10:00:00+01:00", datetime(2026, 11, 20, 9, tzinfo=UTC)),
        ("2026-11-20T09:00:00", datetime(2026, 11, 20, 9, tzinfo=UTC)),
        ("yesterday", None),
        ("0001-01-01T00:00:00+23:59", None),
        (1763629200, None),
    ],
)
def test_times_are_aware_or_absent(
    tickets: Richpanel, vendor: Vendor, raw: object, expected: datetime | None
):
    assert read(tickets, vendor, created_at=raw).created_at == expected


def test_comments_come_oldest_first(tickets: Richpanel, vendor: Vendor):
    comments = [
        {"id": "new", "created_at": "2026-11-20T09:00:02Z"},
        {"id": "old", "created_at": "2026-11-20T09:00:01Z"},
    ]

    dated = read(tickets, vendor, comments=comments)
    undated = read(tickets, vendor, comments=[*comments, {"id": "undated"}])

    assert [one.id for one in dated.comments] == ["old", "new"]
    assert [one.id for one in undated.comments] == ["new", "old", "undated"]


def test_f10_comments_without_an_id_never_share_one(tickets: Richpanel, vendor: Vendor):
    comments = [{"plain_body": "one"}, {"plain_body": "two"}, {"plain_body": "one", "id": ""}]

    first = [one.id for one in read(tickets, vendor, comments=comments).comments]
    again = [one.id for one in read(tickets, vendor, comments=comments).comments]

    assert first == again
    assert first[0] == first[2] != first[1]
    assert all(first)


@pytest.mark.parametrize(
    ("fields", "email"),
    [
        (
            {
                "customer_profile": {"email": "p@x.example"},
                "via": {"source": {"from": {"address": "v@x.example"}}},
            },
            "p@x.example",
        ),
        ({"via": {"source": {"from": {"address": "v@x.example"}}}}, "v@x.example"),
        (
            {
                "comments": [
                    {
                        "id": "1",
                        "is_operator": True,
                        "created_at": "2026-11-20T08:00:00Z",
                        "via": {"source": {"from": {"address": "us@x.example"}}},
                    },
                    {
                        "id": "3",
                        "created_at": "2026-11-20T10:00:00Z",
                        "via": {"source": {"from": {"address": "late@x.example"}}},
                    },
                    {
                        "id": "2",
                        "created_at": "2026-11-20T09:00:00Z",
                        "via": {"source": {"from": {"address": "early@x.example"}}},
                    },
                ]
            },
            "early@x.example",
        ),
        ({"customer_profile": None, "via": None}, None),
    ],
)
def test_the_customers_address_is_taken_where_it_is_surest(
    tickets: Richpanel, vendor: Vendor, fields: dict[str, object], email: str | None
):
    assert read(tickets, vendor, **fields).customer_email == email


def test_f53_a_ticket_in_a_log_line_shows_nobody(tickets: Richpanel, vendor: Vendor):
    ticket = read(
        tickets,
        vendor,
        subject=CANARY,
        customer_profile={"email": CANARY, "name": CANARY},
        comments=[{"id": "c-1", "plain_body": CANARY, "body": CANARY}],
    )

    assert "canary" not in repr(ticket)


# --- listing ----------------------------------------------------------------------------------


def listed(*numbers: int, next_page: str | None = None, key: str = "ticket", **fields: Any) -> Any:
    body = [
        {"id": str(n), "status": "OPEN", "updated_at": f"2026-11-20T09:{59 - n:02}:00Z", **fields}
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
        page = tickets.open_page(since=since, page=number)
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


def test_a_ticket_that_moved_between_pages_is_given_again(tickets: Richpanel, vendor: Vendor):
    """Judging one twice does nothing; remembering them all would cost memory."""
    vendor.will(listed(1, 2, next_page="2"), listed(2, 3))

    assert ids(tickets) == ["1", "2", "2", "3"]


def test_a_ticket_is_found_by_the_number_people_see(live: Richpanel, richpanel: SimulatedRichpanel):
    richpanel.add_ticket("<CAMx@mail.example>", comments=["hello"])

    found = live.read_ticket_by_number(1001)

    assert found is not None
    assert (found.id, found.number, len(found.comments)) == ("<CAMx@mail.example>", 1001, 1)
    assert live.read_ticket_by_number(1002) is None


def test_listing_stops_at_old_tickets_where_the_order_holds(tickets: Richpanel, vendor: Vendor):
    old = "2026-11-19T00:00:00Z"
    vendor.will(listed(1, next_page="2"), listed(2, next_page="3", updated_at=old), listed(3))

    assert ids(tickets) == ["1"]
    assert len(vendor.requests) == 2


def test_listing_goes_on_where_the_vendor_sorts_the_other_way(tickets: Richpanel, vendor: Vendor):
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
    live: Richpanel, richpanel: SimulatedRichpanel
):
    richpanel.set_modes(list_allowed=False)
    richpanel.add_ticket("1042")

    with pytest.raises(AuthError, match="403"):
        live.open_page(since=SINCE, page=1)
    assert live.read_ticket("1042").id == "1042"


def test_the_simulated_list_is_understood(live: Richpanel, richpanel: SimulatedRichpanel):
    for number in range(3):
        richpanel.add_ticket(f"t-{number}", comments=["hello"])
    richpanel.add_ticket("done", status="CLOSED")

    found = {ticket.id for ticket in listing(live, datetime.now(UTC) - timedelta(1))}

    assert found == {"t-0", "t-1", "t-2"}


# --- tags and assignment ----------------------------------------------------------------------


def test_several_tags_go_out_in_one_sorted_request(live: Richpanel, richpanel: SimulatedRichpanel):
    richpanel.add_ticket("1042", tags=["old"])

    live.add_tags(tag("1042", "b", "a"), deadline_seconds=5)
    live.add_tags(tag("1042", "b", "a"), deadline_seconds=5)
    live.remove_tags([RemoveTag("1042", "old", "c-1")], deadline_seconds=5)

    assert richpanel.tags_of("1042") == {"a", "b"}
    assert [call.body for call in richpanel.calls] == [
        {"tags": ["a", "b"]},
        {"tags": ["a", "b"]},
        {"tags": ["old"]},
    ]


def test_actions_of_two_kinds_or_conversations_are_a_bug(tickets: Richpanel, vendor: Vendor):
    with pytest.raises(TypeError):
        tickets.add_tags(
            [*tag("7", "a"), RemoveTag("7", "b", "c-1")],
            deadline_seconds=5,
        )
    with pytest.raises(ValueError, match="too many values"):
        tickets.add_tags([*tag("7", "a"), *tag("8", "a")], deadline_seconds=5)
    assert vendor.requests == []


def test_where_the_tenant_wants_ids_names_are_looked_up_once(
    richpanel: SimulatedRichpanel, clock: ManualClock, log: RecordingLog
):
    richpanel.set_modes(tag_mode="id", rate_limit=None)
    richpanel.add_ticket("1042")
    by_id = adapter(richpanel.url, clock, log, tag_mode="id")
    wanted = richpanel.tag_id("vip")

    by_id.add_tags(tag("1042", "vip"), deadline_seconds=5)
    by_id.add_tags(tag("1042", "vip"), deadline_seconds=5)
    seen = by_id.read_ticket("1042").tags

    assert richpanel.tags_of("1042") == {"vip"}
    assert "vip" in seen
    assert [call.body for call in richpanel.calls_of("add_tags")] == [{"tags": [wanted]}] * 2
    assert len(richpanel.calls_of("list_tags")) == 1


def test_a_tag_made_meanwhile_is_found_and_one_that_is_not_there_is_refused(
    richpanel: SimulatedRichpanel, clock: ManualClock, log: RecordingLog
):
    richpanel.set_modes(tag_mode="id", rate_limit=None)
    richpanel.add_ticket("1042")
    richpanel.tag_id("first")
    by_id = adapter(richpanel.url, clock, log, tag_mode="id")
    by_id.add_tags(tag("1042", "first"), deadline_seconds=5)
    richpanel.tag_id("second")

    by_id.add_tags(tag("1042", "second"), deadline_seconds=5)
    with pytest.raises(PermanentError, match="unknown_tag"):
        by_id.add_tags(tag("1042", "third"), deadline_seconds=5)

    assert richpanel.tags_of("1042") == {"first", "second"}


def test_a_ticket_whose_tags_are_ids_shows_their_names_too(tickets: Richpanel, vendor: Vendor):
    tag_id = "0b7e5a4e-3f0f-4c57-9d3e-0a1b2c3d4e5f"
    vendor.will(
        does.answer(200, {"ticket": {"id": "7", "tags": [tag_id, "plain"]}}),
        does.answer(200, {"tag": [{"id": tag_id, "name": "mw-processed"}]}),
        does.answer(200, {"ticket": {"id": "7", "tags": [tag_id]}}),
    )

    assert tickets.read_ticket("7").tags == {tag_id, "plain", "mw-processed"}
    assert tickets.read_ticket("7").tags == {tag_id, "mw-processed"}
    assert len(vendor.requests) == 3


def test_tag_names_that_cannot_be_had_do_not_hide_the_ticket(tickets: Richpanel, vendor: Vendor):
    tag_id = "0b7e5a4e-3f0f-4c57-9d3e-0a1b2c3d4e5f"
    vendor.will(does.answer(200, {"ticket": {"id": "7", "tags": [tag_id]}}), does.answer(403))

    assert tickets.read_ticket("7").tags == {tag_id}


def test_a_ticket_is_assigned_by_the_users_id(live: Richpanel, richpanel: SimulatedRichpanel):
    richpanel.add_ticket("1042")

    live.assign([Assign("1042", "agent-1", "c-1")], deadline_seconds=5)

    assert richpanel.ticket("1042")["assignee_id"] == "agent-1"
    assert richpanel.calls[-1].body == {"ticket": {"assignee_id": "agent-1"}}


@pytest.mark.parametrize("script", [does.hang, does.reset, does.answer(500)])
def test_a_tag_of_unknown_outcome_may_simply_be_repeated(
    tickets: Richpanel, vendor: Vendor, script: does.Script
):
    vendor.will(script)

    with pytest.raises(TransientError):
        tickets.add_tags(tag("7", "vip"), deadline_seconds=0.4)


@pytest.mark.parametrize("shown", [{}, {"id": "8"}])
def test_a_change_that_the_answer_shows_on_another_ticket_is_refused(
    tickets: Richpanel, vendor: Vendor, shown: dict[str, object]
):
    vendor.will(does.answer(200, {"ticket": shown}))

    with pytest.raises(PermanentError, match="id_mismatch"):
        tickets.add_tags(tag("7", "vip"), deadline_seconds=5)
    with pytest.raises(UncertainError, match="id_mismatch"):
        tickets.send_message("7", body="hi", author_id="agent-1", deadline_seconds=5)


@pytest.mark.parametrize("body", [{}, {"success": True}, {"ticket": "updated"}])
def test_a_change_whose_answer_shows_no_ticket_is_done(
    tickets: Richpanel, vendor: Vendor, body: object
):
    vendor.will(does.answer(200, body))

    tickets.add_tags(tag("7", "vip"), deadline_seconds=5)

    assert len(vendor.requests) == 1


# --- replying and closing ---------------------------------------------------------------------


def reply(adapter: Richpanel, conversation_id: str = "1042", *, seconds: float = 5) -> str | None:
    return adapter.send_message(
        conversation_id, body="Hello\n there", author_id="agent-1", deadline_seconds=seconds
    )


def test_a_reply_is_sent_once_and_named_by_its_comment(
    live: Richpanel, richpanel: SimulatedRichpanel, clock: ManualClock
):
    richpanel.add_ticket("1042", comments=["Where is it?"])
    clock.elapsed = (datetime.now(UTC) - clock.now()).total_seconds()

    ref = reply(live)

    comments = richpanel.ticket("1042")["comments"]
    assert ref == comments[-1]["id"]
    assert len(richpanel.calls_of("send_message")) == 1
    assert richpanel.calls_of("send_message")[0].body == {
        "body": "Hello\n there",
        "author_id": "agent-1",
    }


def test_f21_a_reply_whose_answer_is_lost_is_uncertain_and_not_sent_again(
    tickets: Richpanel, vendor: Vendor
):
    for script in (does.hang, does.reset, does.answer(502), does.answer(200, b"<html>")):
        vendor.will(script)
        vendor.requests.clear()
        with pytest.raises(UncertainError):
            reply(tickets, "7", seconds=0.4)
        assert len(vendor.requests) == 1


def test_a_reply_refused_for_its_rate_or_content_was_surely_not_sent(
    tickets: Richpanel, vendor: Vendor
):
    vendor.will(does.answer(400))
    with pytest.raises(PermanentError):
        reply(tickets, "7")
    vendor.will(does.answer(429))
    with pytest.raises(TransientError):
        reply(tickets, "7")


def test_a_reply_that_was_accepted_and_is_not_there_is_uncertain(
    tickets: Richpanel, vendor: Vendor
):
    """The real API was seen to answer 200 and do nothing."""
    old = {
        "id": "c-0",
        "is_operator": True,
        "author_id": "agent-1",
        "created_at": "2026-11-19T09:00:00Z",
    }
    theirs = {"id": "c-1", "is_operator": False, "plain_body": "hello there"}
    other = {"id": "c-2", "is_operator": True, "author_id": "agent-2"}
    vendor.will(
        does.answer(200, {}),
        does.answer(200, {"ticket": {"id": "7", "comments": [old, theirs, other]}}),
    )

    with pytest.raises(UncertainError, match="not_visible"):
        reply(tickets, "7")


@pytest.mark.parametrize("script", [does.answer(500), does.answer(404), does.reset])
def test_a_reply_that_was_accepted_stays_done_when_it_cannot_be_read_back(
    tickets: Richpanel, vendor: Vendor, script: does.Script
):
    vendor.will(does.answer(200, {}), script)

    assert reply(tickets, "7") is None


def test_among_several_replies_the_verbatim_one_is_ours(tickets: Richpanel, vendor: Vendor):
    at = "2026-11-20T09:00:01Z"
    comments = [
        {"id": "ours", "is_operator": True, "plain_body": "hello there", "created_at": at},
        {"id": "note", "is_operator": True, "plain_body": "a note", "created_at": at},
    ]
    vendor.will(
        does.answer(200, {}), does.answer(200, {"ticket": {"id": "7", "comments": comments}})
    )

    assert reply(tickets, "7") == "ours"


def test_a_ticket_is_closed_by_the_one_payload_that_works(
    live: Richpanel, richpanel: SimulatedRichpanel
):
    richpanel.add_ticket("1042")

    live.close("1042", deadline_seconds=5)

    assert not live.read_ticket("1042").is_open
    assert richpanel.calls[0].body == {"ticket": {"state": "closed", "status": "CLOSED"}}


def test_a_close_without_effect_is_not_taken_for_done(tickets: Richpanel, vendor: Vendor):
    vendor.will(does.answer(200, {"ticket": {"id": "7", "status": "OPEN"}}))

    with pytest.raises(TransientError, match="not_applied"):
        tickets.close("7", deadline_seconds=5)


# --- keys and limits --------------------------------------------------------------------------


def test_f55_a_rotated_key_is_picked_up_without_a_failure(
    richpanel: SimulatedRichpanel, clock: ManualClock, log: RecordingLog
):
    richpanel.add_ticket("1042")
    rotated = adapter(richpanel.url, clock, log)
    rotated._calls.client.authorize = key_header(
        lambda refresh: f"{API_KEY}\n" if refresh else "old"
    )

    assert rotated.read_ticket("1042").id == "1042"
    assert [call.status for call in richpanel.calls] == [401, 200]


def test_f45_the_vendors_own_limit_is_met_with_patience(
    live: Richpanel, richpanel: SimulatedRichpanel
):
    richpanel.set_modes(rate_limit=1)
    richpanel.add_ticket("1042")
    live.read_ticket("1042")

    with pytest.raises(TransientError) as first:
        live.read_ticket("1042")
    with pytest.raises(TransientError) as second:
        live.read_ticket("1042")

    assert (first.value.status, second.value.reason) == (429, "local_rate_limit")
    assert len(richpanel.calls) == 2


def test_every_error_names_the_operation(tickets: Richpanel, vendor: Vendor):
    vendor.will(does.answer(400))
    attempts = {
        "read_ticket": lambda: tickets.read_ticket("7"),
        "list_tickets": lambda: tickets.open_page(since=SINCE, page=1),
        "add_tags": lambda: tickets.add_tags(tag("7", "a"), deadline_seconds=5),
        "remove_tags": lambda: tickets.remove_tags([RemoveTag("7", "a", "s")], deadline_seconds=5),
        "assign": lambda: tickets.assign([Assign("7", "u", "s")], deadline_seconds=5),
        "close": lambda: tickets.close("7", deadline_seconds=5),
        "send_message": lambda: reply(tickets, "7"),
    }
    for operation, attempt in attempts.items():
        with pytest.raises(ProviderError) as caught:
            attempt()
        assert (caught.value.provider, caught.value.operation) == ("richpanel", operation)
