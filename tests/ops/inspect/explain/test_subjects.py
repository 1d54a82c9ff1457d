"""The kinds of identifier that a text may be, by its form."""

import json

import pytest

from ops.inspect.explain.subjects import Sought, SubjectKind, candidates
from tests.rigs.each_row import each_row

OPAQUE = "0123456789abcdef0123456789abcdef"
UUID = "77028fff-d244-4d5a-b419-384eb87d9cf7"


@each_row(
    ("text", "kind", "value"),
    [
        ("act:rp_tag:1042:x:c-1", SubjectKind.ACTION, "act:rp_tag:1042:x:c-1"),
        ("evt:rp:1042:c-1", SubjectKind.EVENT, "evt:rp:1042:c-1"),
        ("ALOWARE:719285063", SubjectKind.FACT, "ALOWARE:719285063"),
        ("ci-aaa-001#req123", SubjectKind.START, "ci-aaa-001#req123"),
        (f"c-77#{OPAQUE}", SubjectKind.HANDOFF, f"c-77#{OPAQUE}"),
        (OPAQUE, SubjectKind.CONVERSATION, OPAQUE),
        (f"SM{OPAQUE}", SubjectKind.TEXT_MESSAGE, f"SM{OPAQUE}"),
        (
            "010001931f2e3d4c-0a1b2c3d-1111-2222-3333-444455556666-000000",
            SubjectKind.E_MAIL,
            "010001931f2e3d4c-0a1b2c3d-1111-2222-3333-444455556666-000000",
        ),
        ("<abc@mail.example.com>", SubjectKind.MESSAGE_ID, "<abc@mail.example.com>"),
        ("J.Doe@Example.com", SubjectKind.ADDRESS, "j.doe@example.com"),
        ("+1 (555) 010-0001", SubjectKind.ADDRESS, "+15550100001"),
        ("0015550100001", SubjectKind.ADDRESS, "+15550100001"),
        ("1042", SubjectKind.TICKET, "1042"),
        ("#100234", SubjectKind.TICKET, "100234"),
        ("(1) 555-010-0003", SubjectKind.ADDRESS, "+15550100003"),
        ("555-010-0003", SubjectKind.ADDRESS, "+15550100003"),
        ("555 010 0003", SubjectKind.ADDRESS, "+15550100003"),
    ],
)
def test_the_first_reading_is_the_most_specific(text, kind, value):
    assert candidates(f" {text}\n")[0] == Sought(kind, value)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("3e01f31bf4d2caef", SubjectKind.DIGEST),
        (UUID, SubjectKind.QUEUE_MESSAGE),
        ("15550100001", SubjectKind.ADDRESS),
        ("#100234", SubjectKind.ORDER),
        ("100234", SubjectKind.ORDER),
    ],
)
def test_what_may_be_a_tickets_id_is_looked_up_as_one_first(text, kind):
    kinds = [candidate.kind for candidate in candidates(text)]
    assert kinds.index(SubjectKind.TICKET) < kinds.index(kind)


def test_a_log_line_is_read_as_its_trace_then_its_digests():
    line = {
        "event": "worker.handed_back",
        "attempt": 1,
        "sqs_message_id": UUID,
        "mw_trace_id": "3e01f31bf4d2caef",
        "idempotency_key": "8bb435985f6d5942",
    }
    digests = [
        candidate.value
        for candidate in candidates(json.dumps(line))
        if candidate.kind == SubjectKind.DIGEST
    ]
    assert digests == ["3e01f31bf4d2caef", "8bb435985f6d5942"]
    assert Sought(SubjectKind.QUEUE_MESSAGE, UUID) in candidates(json.dumps(line))


@pytest.mark.parametrize("text", ["2026-11-24", "10:42", "v2.0.1", "12-34"])
def test_not_every_group_of_digits_is_a_phone_number(text):
    assert all(candidate.kind != SubjectKind.ADDRESS for candidate in candidates(text))


@pytest.mark.parametrize("text", ["", "  ", "\n"])
def test_an_empty_text_names_nothing(text):
    assert candidates(text) == ()


@pytest.mark.parametrize(
    "text", ["{", "{}", "[1]", '{"a": {"mw_trace_id": 1}}', "#", "#x", "x#", "+", "@", "<>"]
)
def test_rubbish_is_no_fault(text):
    candidates(text)


def test_what_is_too_long_for_a_key_names_nothing():
    assert candidates("7" * 5_000) == ()
    assert candidates("x" * 5_000) == ()


@pytest.mark.parametrize("pasted", ["ci-aaa-001 req123", "ci-aaa-001/req123"])
def test_a_company_and_a_request_are_read_without_their_mark(pasted):
    assert Sought(SubjectKind.START, "ci-aaa-001#req123") in candidates(pasted)
