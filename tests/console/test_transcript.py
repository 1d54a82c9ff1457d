"""A transcript: whose words each entry is, and which entries are no message at all."""

import json

from chalicelib.outreach.conversations.drafts import KeptDraft
from chalicelib.outreach.conversations.records import NOTES, UNPROVEN, Draft, Entry
from chalicelib.outreach.desk.shown import message_shown
from console.transcript import Side, transcript

AT = "2026-11-20T09:00:00.000Z"


def read_as(*entries, **drafts):
    return transcript([message_shown(entry) for entry in entries], drafts)


def entry(role, text="Hello", entry_id="e1", **more):
    return Entry(entry_id, AT, role, text, **more)


def test_what_the_opening_was_written_from_is_data_and_no_message():
    given = {"company": "Acme", "recipient_first_name": "Jo"}
    found = read_as(entry("user", json.dumps(given), note="prompt"), entry("assistant", "Hi Jo"))
    assert [(turn.side, turn.text) for turn in found.turns] == [(Side.MACHINE, "Hi Jo")]
    assert found.given == given


def test_data_that_was_cut_is_shown_as_text():
    assert read_as(entry("user", '{"company": "Ac', note="prompt")).given == {
        "text": '{"company": "Ac'
    }


def test_each_author_has_a_side():
    found = read_as(
        entry("user"),
        entry("user", note="auto_reply"),
        entry("user", note=UNPROVEN),
        entry("assistant"),
        entry("assistant", note="person", by="sam"),
        entry("note", note="internal", by="lea"),
        entry(
            "tool",
            json.dumps({"tool": "book", "text": "Booked", "data": {"at": "9"}}),
            note="tool_result",
        ),
    )
    assert [turn.side for turn in found.turns] == [
        *(Side.THEIRS, Side.THEIRS, Side.THEIRS),
        *(Side.MACHINE, Side.PERSON, Side.NOTE, Side.TOOL),
    ]
    assert [turn.is_ours for turn in found.turns] == [False] * 3 + [
        True,
        True,
        False,
        False,
    ]
    assert [list(turn.marks) for turn in found.turns[1:3]] == [
        ["an automatic reply"],
        ["nothing proves who wrote it"],
    ]
    assert (found.turns[-1].text, found.turns[-1].data) == ("Booked", {"tool": "book", "at": "9"})


def test_every_note_of_a_message_has_words_or_a_side_that_says_it():
    silent = {
        note
        for note in NOTES
        if (turns := read_as(entry("user", note=note)).turns) and not turns[0].marks
    }
    assert silent == {"person", "internal", "tool_result"}


def test_what_the_carrier_reported_is_said_of_our_messages_alone():
    drafts = {
        "ours": KeptDraft(Draft("Hi"), "delivered"),
        "lost": KeptDraft(Draft("Hi"), "undelivered", "30003"),
    }
    ours, lost, plain, theirs = read_as(
        entry("assistant", entry_id="ours"),
        entry("assistant", entry_id="lost"),
        entry("assistant", entry_id="other"),
        entry("user", entry_id="theirs"),
        **drafts,
    ).turns
    assert (ours.delivery, ours.is_failed) == ("Delivered", False)
    assert lost.delivery.startswith("Not delivered: ")
    assert lost.is_failed
    assert (plain.delivery, theirs.delivery) == ("Sent", "")


def test_a_message_names_its_sources():
    claims = [{"text": "at nine", "source": "project_data.slots"}]
    (turn,) = read_as(entry("assistant"), e1=KeptDraft(Draft("Hi", claims=claims))).turns
    assert turn.claims == claims
