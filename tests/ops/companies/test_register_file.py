"""A list, or an export of the register, as a file: what was written is read again as it was."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.outreach.channels import Channel
from chalicelib.outreach.consent.contact_purpose import ContactPurpose
from chalicelib.outreach.conversations.register_entries import (
    SUSPENDED_SLOT,
    TECHNICAL_REASONS,
    MarkReason,
    slot_of,
)
from chalicelib.outreach.conversations.subject import Subject
from chalicelib.outreach.conversations.subject_rows import Member
from chalicelib.outreach.register import register_rows
from ops.companies import register_file
from ops.session import OpsError
from tests.rigs.fakes import ManualClock

COMPANY = "ci-aaa-001"
NOW = ManualClock().now()
TIMES = st.datetimes().map(lambda time: f"{time:%Y-%m-%dT%H:%M:%S}.000Z".rjust(24, "0"))
TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1)
ADDRESSES = st.sampled_from(["+15550100001", "+5215512345678", "jo@example.com", ""])


@st.composite
def marks(draw):
    """A mark of any kind, with its slot."""
    reason = draw(st.sampled_from(sorted(MarkReason)))
    channel = draw(st.sampled_from(list(Channel))) if reason in TECHNICAL_REASONS else None
    mark = {"reason": reason.value, "since": draw(TIMES)}
    times = [
        "said_at",
        "lifted_at",
        "refused_at",
        *(("until", "stop_at") if channel is None else ()),
    ]
    for name in times:
        if draw(st.booleans()):
            mark[name] = draw(TIMES)
    for name in ("by", "lifted_by", "lifted_because", "confirmed_by"):
        if draw(st.booleans()):
            mark[name] = draw(TEXTS)
    slot = slot_of(reason, channel)
    if channel is None and draw(st.booleans()):
        mark["purposes"] = sorted(
            draw(st.sets(st.sampled_from([*map(str, ContactPurpose)]), min_size=1))
        )
    if channel is None and slot != SUSPENDED_SLOT and draw(st.booleans()):
        mark["channels"] = sorted(
            draw(st.sets(st.sampled_from([channel.value for channel in Channel]), min_size=1))
        )
    return slot, mark


@given(st.lists(st.tuples(ADDRESSES, marks()), max_size=6), st.booleans())
def test_an_export_is_read_as_the_marks_that_it_was_made_of(given_marks, is_linked):
    members = {f"{n:032x}": address for n, (address, _) in enumerate(given_marks)}
    stored = {
        f"{member}#{slot}": mark
        for member, (_, (slot, mark)) in zip(members, given_marks, strict=True)
    }
    subject = Subject(company_id=COMPANY, root="0" * 32, members=members, state={"marks": stored})
    text = register_file.as_csv(register_rows.rows_of(subject, NOW))
    found = list(register_file.parse(text, COMPANY))
    assert {f"{row.member}#{row.slot}": dict(row.mark) for row in found} == stored
    assert {row.member: row.address for row in found} == members
    assert len({row.subject for row in found}) <= 1


@pytest.mark.parametrize(
    ("row", "named"),
    [
        ("ci-bbb-002,,+15550100001,,,,stop,2026-11-20T09:00:00Z", "company"),
        (f"{COMPANY},,+15550100001,,pigeon,,stop,2026-11-20T09:00:00Z", "channels"),
        (f"{COMPANY},,+15550100001,,,fun,stop,2026-11-20T09:00:00Z", "purposes"),
        (f"{COMPANY},,+15550100001,,,,because,2026-11-20T09:00:00Z", "reason"),
        (f"{COMPANY},,+15550100001,,,,stop,yesterday", "since"),
        (f"{COMPANY},,+15550100001,,,,stop,", "since"),
        (f"{COMPANY},,+15550100001,,,,bounced,2026-11-20T09:00:00Z", "channels"),
        (f"{COMPANY},,,canary,,,stop,2026-11-20T09:00:00Z", "entry 1"),
    ],
)
def test_a_wrong_row_is_named_by_its_field_and_not_by_its_value(row, named):
    names = "company,subject,address,member,channels,purposes,reason,since"
    with pytest.raises(OpsError) as refused:
        list(register_file.parse(f"{names}\n{row}\n", COMPANY))
    assert named in str(refused.value)
    for value in ("pigeon", "fun", "because", "yesterday", "canary", "5550100001"):
        assert value not in str(refused.value)


def test_a_member_has_the_place_of_its_row():
    assert Member("0" * 32, COMPANY).key["primary_channel"] == f"subject:{'0' * 32}"


def test_every_wrong_row_is_named_by_its_line_and_field_and_the_right_ones_are_read():
    text = '\ufeffaddress,since\n"+15550100001",2026-11-20\n\nnobody,\n\'+15550100002,\nx@example.com,soon\n'
    rows, refused = register_file.judged(text, COMPANY)
    assert [row.address for row in rows] == ["+15550100001", "+15550100002"]
    assert [(refusal.line, refusal.field) for refusal in refused] == [(4, "address"), (6, "since")]
    assert register_file.judged("x" * 200_000, COMPANY)[1] == [register_file.RefusedRow(1, "file")]
    assert register_file.judged("", COMPANY) == ([], [])
