"""What an identifier may be, by its form."""

import json

import pytest

from ops.inspect.explain.subjects import Kind, Subject, candidates

OPAQUE = "0123456789abcdef0123456789abcdef"
UUID = "77028fff-d244-4d5a-b419-384eb87d9cf7"


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("act:rp_tag:1042:x:c-1", Kind.ACTION, "act:rp_tag:1042:x:c-1"),
        ("evt:rp:1042:c-1", Kind.EVENT, "evt:rp:1042:c-1"),
        ("ALOWARE:719285063", Kind.FACT, "ALOWARE:719285063"),
        ("ci-aaa-001#req123", Kind.START, "ci-aaa-001#req123"),
        (f"c-77#{OPAQUE}", Kind.HANDOFF, f"c-77#{OPAQUE}"),
        (OPAQUE, Kind.CONVERSATION, OPAQUE),
        (f"SM{OPAQUE}", Kind.TEXT_MESSAGE, f"SM{OPAQUE}"),
        (
            "010001931f2e3d4c-0a1b2c3d-1111-2222-3333-444455556666-000000",
            Kind.E_MAIL,
            "010001931f2e3d4c-0a1b2c3d-1111-2222-3333-444455556666-000000",
        ),
        ("<abc@mail.example.com>", Kind.MESSAGE_ID, "<abc@mail.example.com>"),
        ("J.Doe@Example.com", Kind.ADDRESS, "j.doe@example.com"),
        ("+1 (555) 010-0001", Kind.ADDRESS, "+15550100001"),
        ("0015550100001", Kind.ADDRESS, "+15550100001"),
        ("1042", Kind.TICKET, "1042"),
        ("#100234", Kind.TICKET, "#100234"),
    ],
)
def test_the_first_reading_is_the_most_specific(text, kind, value):
    assert candidates(f" {text}\n")[0] == Subject(kind, value)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("3e01f31bf4d2caef", Kind.DIGEST),
        (UUID, Kind.QUEUE_MESSAGE),
        ("15550100001", Kind.ADDRESS),
        ("#100234", Kind.ORDER),
        ("100234", Kind.ORDER),
    ],
)
def test_what_may_be_a_tickets_id_is_looked_up_as_one_first(text, kind):
    kinds = [one.kind for one in candidates(text)]
    assert kinds.index(Kind.TICKET) < kinds.index(kind)


def test_a_log_line_is_read_as_its_trace_then_its_digests():
    line = {
        "event": "worker.handed_back",
        "attempt": 1,
        "sqs_message_id": UUID,
        "mw_trace_id": "3e01f31bf4d2caef",
        "idempotency_key": "8bb435985f6d5942",
    }
    digests = [one.value for one in candidates(json.dumps(line)) if one.kind == Kind.DIGEST]
    assert digests == ["3e01f31bf4d2caef", "8bb435985f6d5942"]
    assert Subject(Kind.QUEUE_MESSAGE, UUID) in candidates(json.dumps(line))


@pytest.mark.parametrize("text", ["", "  ", "\n"])
def test_an_empty_text_names_nothing(text):
    assert candidates(text) == ()


@pytest.mark.parametrize(
    "text", ["{", "{}", "[1]", '{"a": {"mw_trace_id": 1}}', "#", "#x", "x#", "+", "@", "<>"]
)
def test_rubbish_is_no_fault(text):
    candidates(text)
