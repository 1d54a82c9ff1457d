"""The identifiers in what people paste."""

import json

import pytest

from ops.inspect.explain.pasted import MOST, things
from tests.rigs.each_row import each_row

HEX = "0123456789abcdef0123456789abcdef"
UUID = "77028fff-d244-4d5a-b419-384eb87d9cf7"
SAFE_LINK = (
    "https://eur01.safelinks.protection.outlook.com/?url=https%3A%2F%2Fapp.richpanel.com"
    "%2Fconversations%3FviewId%3Dsearch%231042&data=05%7C02%7Cjo%7C638"
)
LINE = {"event": "worker.handed_back", "mw_trace_id": "3e01f31bf4d2caef", "sqs_message_id": UUID}


@each_row(
    ("text", "first"),
    [
        ("1042", "1042"),
        (" #1042 ", "1042"),
        ("Ticket #1042", "1042"),
        ("order no. #A-1042", "A-1042"),
        ("ticket 1042", "1042"),
        ("`evt:rp:1042:c-1`", "evt:rp:1042:c-1"),
        ("why did act:send:abc:1 fail?", "act:send:abc:1"),
        ("act:rp_tag:1:mw%3Ax:c-1", "act:rp_tag:1:mw%3Ax:c-1"),
        ("act%3Arp_tag%3A1%3Amw%253Ax%3Ac-1", "act:rp_tag:1:mw%3Ax:c-1"),
        (f"sm{HEX.upper()}", f"SM{HEX}"),
        (f"https://console.twilio.com/us1/monitor/logs/sms/SM{HEX}", f"SM{HEX}"),
        (f"the message {HEX}, please", HEX),
        ("https://app.richpanel.com/conversations?ticket_id=1042", "1042"),
        ("https://app.richpanel.com/conversation/1042/", "1042"),
        ("https://app.richpanel.com/conversations?viewId=search#1042", "1042"),
        ("<https://app.richpanel.com/conversations?viewId=search#1042>", "1042"),
        ("[it](https://app.richpanel.com/conversations?viewId=search#1042)", "1042"),
        ("<https://app.richpanel.com/conversations?viewId=search#1042|the ticket>", "1042"),
        (SAFE_LINK, "1042"),
        ("28/11/2026\t91001\topen\tnot answered", "91001"),
        ("2026-11-28 10:15\t91001\topen", "91001"),
        ("11/28/26, 91001, open", "91001"),
        ("request req-o-1001 please", "req-o-1001"),
        ("req-o-1001 please", "req-o-1001"),
        ("https://desk.example.com/find?q=evt%3Arp%3A1042%3Ac-1", "evt:rp:1042:c-1"),
        ("tel:+15550100003", "+15550100003"),
        ("mailto:jo@example.com", "jo@example.com"),
        ("Jo Doe <jo@example.com>", "jo@example.com"),
        ("<abc@mail.example.com>", "<abc@mail.example.com>"),
        ("she wrote from jo@example.com.", "jo@example.com"),
        ("+1 (0) 555 010 0003", "+1 555 010 0003"),
        ("+44(0)20 7946 0003", "+4420 7946 0003"),
        ("\u202a+1 555 010 0003\u202c", "+1 555 010 0003"),
        (json.dumps(LINE), "3e01f31bf4d2caef"),
        (f"2026-11-24T09:00:00Z\t{UUID}\tINFO\t{json.dumps(LINE)}", "3e01f31bf4d2caef"),
        ("ci-aaa-001#req123", "ci-aaa-001#req123"),
        ("ALOWARE:719285063", "ALOWARE:719285063"),
    ],
)
def test_what_is_meant_comes_first(text, first):
    assert things(text)[0][0] == first


@pytest.mark.parametrize(
    "text", ["", "  ", "{", "https://", "https://[", "where is my order", "<>"]
)
def test_rubbish_is_no_fault(text):
    things(text)


def test_a_long_text_asks_for_a_bounded_number():
    found = things(" ".join(f"evt:rp:{n}:c" for n in range(500)))
    assert sum(map(len, found)) == MOST


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("tickets 1042 and 10423", [("1042",), ("10423",)]),
        ("ticket 88, order #1042", [("88",), ("1042",)]),
        ("evt:rp:1:c-1 and evt:rp:2:c-1", [("evt:rp:1:c-1",), ("evt:rp:2:c-1",)]),
        (f"act:send:{HEX}:1", [(f"act:send:{HEX}:1", HEX)]),
        (json.dumps(LINE), [(LINE["mw_trace_id"], UUID)]),
        (f"SM{HEX}, from jo@example.com", [(f"SM{HEX}",), ("jo@example.com",)]),
    ],
)
def test_each_thing_of_a_text_has_its_own_identifiers(text, named):
    assert list(things(text)) == named
