"""What was written in a ticket reaches its one reader, or the reader learns why not."""

import boto3
import pytest

from chalicelib.errors import UnavailableError
from local.stack.functions import Functions
from ops.inspect.explain import written
from tests.rigs.ops_session import session

READER = "rp-mw-dev-ticket_texts"
SAID = {"comment": "c-1", "by": "the customer", "text": "Where is my order?"}


def asked(answer, name=READER):
    """What a reader gets of a function that gives this answer."""
    with Functions({name: lambda event, _context: answer(event)}, "http://127.0.0.1:9") as there:
        client = boto3.client(
            "lambda",
            region_name="us-east-1",
            endpoint_url=there.url,
            aws_access_key_id="testing",
            aws_secret_access_key="testing",
        )
        return list(written.in_ticket(session(**{"lambda": client}), "1042"))


def test_the_function_is_asked_for_the_ticket_and_its_answer_is_read():
    said = asked(lambda event: {"said": [{**SAID, "text": f"of {event['ticket_id']}"}]})
    assert said == [("c-1", "the customer", "of 1042")]


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ({"refused": "richpanel_http_503"}, "richpanel_http_503"),
        ({"errorMessage": "Task timed out"}, f"{READER} failed"),
    ],
)
def test_why_there_is_none_is_raised(answer, code):
    with pytest.raises(UnavailableError, match=code):
        asked(lambda _event: answer)


def test_a_function_that_is_not_there_is_named():
    with pytest.raises(UnavailableError, match=READER):
        asked(lambda _event: {}, name="another")
