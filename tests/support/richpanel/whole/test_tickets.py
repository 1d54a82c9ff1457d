"""Reading a Richpanel ticket: observed oddities are parsed, and never another ticket."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from chalicelib.errors import PermanentError, TransientError
from chalicelib.support.richpanel.client import Richpanel
from chalicelib.support.tickets import Ticket
from local.vendors.richpanel import SimulatedRichpanel
from tests.rigs import vendor_server as does
from tests.rigs.richpanel import ODD_IDS, read
from tests.rigs.vendor_server import CANARY, Vendor


def test_a_ticket_is_read_with_its_comments(live_client: Richpanel, richpanel: SimulatedRichpanel):
    richpanel.add_ticket(
        "1042",
        comments=["Where is it?", {"body": "On its way", "operator": True}],
        tags=["vip"],
        customer_email="c@shop.example",
        customer_name="C",
        subject="Order",
    )

    ticket = live_client.read_ticket("1042")

    assert (ticket.id, ticket.status, ticket.is_open) == ("1042", "OPEN", True)
    assert ticket.tags == {"vip"}
    assert [(comment.text, comment.is_operator) for comment in ticket.comments] == [
        ("Where is it?", False),
        ("On its way", True),
    ]
    assert (ticket.customer_email, ticket.customer_name) == ("c@shop.example", "C")
    assert ticket.created_at is not None
    assert ticket.created_at.tzinfo is not None


@pytest.mark.parametrize("conversation_id", ODD_IDS)
def test_any_id_reaches_its_ticket_and_no_other(
    live_client: Richpanel, richpanel: SimulatedRichpanel, conversation_id: str
):
    richpanel.add_ticket(conversation_id, comments=["hello"])

    assert live_client.read_ticket(conversation_id).id == conversation_id
    live_client.add_tags(conversation_id, {"vip"}, deadline_seconds=5)

    assert richpanel.tags_of(conversation_id) == {"vip"}


@pytest.mark.parametrize("conversation_id", ["", ".", ".."])
def test_an_id_that_would_name_another_address_is_refused_before_sending(
    tickets: Richpanel, vendor: Vendor, conversation_id: str
):
    """A path's dot segments are resolved on the way, and an empty one names the list."""
    for attempt in (
        lambda: tickets.read_ticket(conversation_id),
        lambda: tickets.add_tags(conversation_id, {"vip"}, deadline_seconds=5),
    ):
        with pytest.raises(PermanentError, match="invalid_id"):
            attempt()
    assert vendor.requests == []


@pytest.mark.parametrize("shown", [{"id": "8"}, {"id": 70}, {"id": "7 7"}, {}, {"id": None}])
def test_a_response_about_another_ticket_is_refused(
    tickets: Richpanel, vendor: Vendor, shown: dict[str, object]
):
    vendor.will(does.answer(200, {"ticket": shown}))

    with pytest.raises(PermanentError, match="id_mismatch"):
        tickets.read_ticket("7")


@pytest.mark.parametrize("body", [{}, {"ticket": None}, {"ticket": []}, {"error": CANARY}])
def test_a_response_without_a_ticket_is_refused(tickets: Richpanel, vendor: Vendor, body: object):
    vendor.will(does.answer(200, body))

    with pytest.raises(TransientError, match="unexpected_answer") as caught:
        tickets.read_ticket("7")
    assert CANARY not in repr(vars(caught.value))
    assert caught.value.__context__ is None


def test_a_missing_ticket_is_permanent(live_client: Richpanel):
    with pytest.raises(PermanentError, match="404"):
        live_client.read_ticket("nobody")


def test_almost_every_field_may_be_missing(tickets: Richpanel, vendor: Vendor):
    ticket = read(tickets, vendor)

    assert ticket == Ticket(id="7", status="", tags=frozenset(), comments=())


@pytest.mark.parametrize("junk", [None, "", 5, True, [], {}, [None, 3, "x", []], {"a": 1}])
def test_fields_of_an_unexpected_type_count_as_missing(
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
def test_f48_the_author_of_a_comment_is_read_from_either_field(
    tickets: Richpanel, vendor: Vendor, raw: dict[str, object], is_operator: object
):
    ticket = read(tickets, vendor, comments=[{"id": "c-1", **raw}])

    assert [comment.is_operator for comment in ticket.comments] == [is_operator]


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
    """Non-linear parsing would not finish here."""
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
def test_times_have_a_zone_or_are_absent(
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

    assert [comment.id for comment in dated.comments] == ["old", "new"]
    assert [comment.id for comment in undated.comments] == ["new", "old", "undated"]


def test_f10_comments_without_an_id_never_share_one(tickets: Richpanel, vendor: Vendor):
    comments = [{"plain_body": "one"}, {"plain_body": "two"}, {"plain_body": "one", "id": ""}]

    first = [comment.id for comment in read(tickets, vendor, comments=comments).comments]
    again = [comment.id for comment in read(tickets, vendor, comments=comments).comments]

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
def test_the_customers_address_is_read_from_the_most_reliable_field(
    tickets: Richpanel, vendor: Vendor, fields: dict[str, object], email: str | None
):
    assert read(tickets, vendor, **fields).customer_email == email


def test_f53_a_logged_ticket_shows_no_personal_data(tickets: Richpanel, vendor: Vendor):
    ticket = read(
        tickets,
        vendor,
        subject=CANARY,
        customer_profile={"email": CANARY, "name": CANARY},
        comments=[{"id": "c-1", "plain_body": CANARY, "body": CANARY}],
    )

    assert "canary" not in repr(ticket)
