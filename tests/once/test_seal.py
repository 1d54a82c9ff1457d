"""A queue's message is this stage's, for its queue and group, or none at all."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.errors import PayloadError
from chalicelib.once.job import decode, encode
from chalicelib.once.seal import SEAL_BYTES, Seal
from chalicelib.wiring.jobs import KINDS
from tests.rigs.each_row import each_row
from tests.rigs.keys import one_key
from tests.rigs.worker import job

QUEUE, GROUP = "rp-mw-events-dev.fifo", "9f0c"
SEAL = Seal(one_key)
TEXT = encode(job())
BODY = SEAL.sealed(TEXT, queue=QUEUE, group_id=GROUP)


def opened(body, *, queue=QUEUE, group_id=GROUP):
    return SEAL.opened(body, queue=queue, group_id=group_id)


def test_what_was_sealed_is_opened_as_it_was():
    assert opened(BODY) == TEXT
    assert decode(opened(BODY), KINDS) == job()
    assert json.loads(BODY).keys() == {*json.loads(TEXT), "mac"}
    assert len(BODY) == len(TEXT) + SEAL_BYTES


@each_row("name", sorted(json.loads(TEXT)))
def test_a_change_of_any_field_breaks_the_seal(name):
    fields = json.loads(BODY)
    for changed in (
        {**fields, name: "another"},
        {field: value for field, value in fields.items() if field != name},
    ):
        with pytest.raises(PayloadError, match="not sealed"):
            opened(json.dumps(changed, separators=(",", ":")))


@pytest.mark.parametrize(
    "place",
    [
        {"queue": "rp-mw-events-prod.fifo"},
        {"queue": "rp-mw-email-dev.fifo"},
        {"group_id": "another"},
        {"group_id": ""},
    ],
    ids=["stage", "lane", "group", "no group"],
)
def test_a_message_cannot_be_moved(place):
    with pytest.raises(PayloadError) as refused:
        opened(BODY, **place)
    assert refused.value.code == "unsealed"


@pytest.mark.parametrize(
    "body",
    [
        TEXT,
        "",
        "{}",
        f"{TEXT}{BODY}",
        f"{BODY} ",
        f'{TEXT[:-1]},"mac":"{"0" * 32}"}}',
        '{"mac":""}',
    ],
)
def test_a_message_without_a_seal_or_with_a_wrong_one_is_refused(body):
    with pytest.raises(PayloadError) as refused:
        opened(body)
    assert refused.value.code == "unsealed"
    assert "refund" not in str(refused.value)


def test_another_key_opens_nothing():
    with pytest.raises(PayloadError):
        Seal(lambda: one_key(b"another")).opened(BODY, queue=QUEUE, group_id=GROUP)


@given(st.dictionaries(st.text(), st.text(), min_size=1), st.text(), st.text(max_size=8))
def test_any_object_is_sealed_and_opened(fields, queue, group_id):
    text = json.dumps(fields)
    assert (
        opened(SEAL.sealed(text, queue=queue, group_id=group_id), queue=queue, group_id=group_id)
        == text
    )
