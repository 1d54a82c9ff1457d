"""What the inbox shows of a conversation."""

from chalicelib.outreach.conversations.records import Record
from console.excerpt import LONGEST, Excerpt, excerpt


def record(*messages, name="Jo"):
    entries = [
        {"entry_id": str(at), "message_timestamp": "", "role": role, "content": text, "note": note}
        for at, (role, text, note) in enumerate(messages)
    ]
    return Record({"recipient_first_name": name, "messages": entries})


def test_it_is_the_name_and_what_the_recipient_said_last():
    found = record(
        ("user", '{"company": "Acme"}', "prompt"),
        ("assistant", "Hi Jo", None),
        ("user", "Is it\nopen?", None),
        ("assistant", "Yes", None),
        ("note", "Called before", "internal"),
    )
    assert excerpt(found) == Excerpt("Jo", "Is it open?")


def test_what_the_opening_was_written_from_is_no_word_of_theirs():
    assert excerpt(record(("user", '{"company": "Acme"}', "prompt"))) == Excerpt("Jo")


def test_long_words_are_cut():
    words = excerpt(record(("user", "a" * 500, None))).words
    assert (len(words), words[-1]) == (LONGEST, "\u2026")


def test_of_no_conversation_nothing_is_known():
    assert excerpt(None) == Excerpt()
