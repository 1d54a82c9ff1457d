"""What was written in a ticket, as the function that reads it answers."""

import pytest

from chalicelib.support import ticket_texts

BOT = "bot-1"


@pytest.fixture
def read(richpanel, live_client):
    richpanel.add_ticket(
        "1042",
        comments=[
            {"id": "c-1", "body": "Where is my order?"},
            {"id": "c-2", "body": "It is on its way.", "is_operator": True, "author_id": BOT},
            {
                "id": "c-3",
                "body": "Ask Bo.",
                "is_operator": True,
                "author_id": "a-7",
                "public": False,
            },
            {"id": "c-4", "body": "I looked.", "is_operator": True, "author_id": "a-7"},
        ],
    )
    return lambda event: ticket_texts.read(event, live_client, bot=BOT)


def test_each_text_has_its_author_and_its_comments_id(read):
    said = read({"ticket_id": "1042"})["said"]
    assert [(text["comment"], text["by"], text["text"]) for text in said] == [
        ("c-1", "the customer", "Where is my order?"),
        ("c-2", "the machine", "It is on its way."),
        ("c-3", "a colleague, in a note", "Ask Bo."),
        ("c-4", "a colleague", "I looked."),
    ]


def test_what_richpanel_does_not_show_is_a_code(read, richpanel):
    assert read({"ticket_id": "none"}) == {"refused": "richpanel_http_404"}
    richpanel.fault("status", status=403, times=1)
    assert read({"ticket_id": "1042"}) == {"refused": "richpanel_http_403"}


@pytest.mark.parametrize("event", [{}, {"ticket_id": ""}, {"ticket_id": 7}])
def test_a_question_without_a_ticket_reads_nothing(read, richpanel, event):
    before = len(richpanel.calls)
    assert read(event) == {"refused": "invalid_ticket_id"}
    assert len(richpanel.calls) == before
