"""Addresses in words: any way to write one has the id by which erasing looks for it."""

import pytest

from chalicelib.once.keys import OpaqueIds
from chalicelib.once.mentions import MOST, ids_in, ids_of

OPAQUE = OpaqueIds(b"k" * 32)
TEL, MAIL = "+15550172232", "jane.doe@example.com"


def named(words):
    return set(ids_in(words, lambda: OPAQUE))


@pytest.mark.parametrize(
    "words",
    [
        *(f"call {number}, she said" for number in (TEL, "+1 555 017 2232", "(555) 017-2232")),
        *("555.017.2232 2026 was wrong", "in 2026 555/017/2232", "001 555\u00a0017\u00a02232"),
        *("017 2232", "(2) 017-2232", "+44 20 7946 0000 +1 555 017 2232", "from 15550172232"),
        "\uff15\uff15\uff15 017 2232",
    ],
)
def test_a_number_is_known_by_its_last_digits_however_it_is_written(words):
    assert named(words) & {*ids_of(TEL, OPAQUE)}


@pytest.mark.parametrize(
    "words", [MAIL, "<Jane.Doe+shop@Example.com>", "'janedoe@example.com', please", f"see {MAIL}."]
)
def test_a_mailbox_is_known_without_case_tag_and_dots(words):
    assert named(words) & {*ids_of(MAIL, OPAQUE)}


@pytest.mark.parametrize(
    "words",
    [
        *("+1 555 017 2233", "+1 556 017 2232", "17 2232", "order 55 50172", "in 2026"),
        *("jane.doe@example.org", "ajane.doe@example.com", "jane doe", ""),
    ],
)
def test_what_is_only_alike_is_not_bound(words):
    assert not named(words) & {*ids_of(TEL, OPAQUE), *ids_of(MAIL, OPAQUE)}


def test_no_key_is_read_for_words_that_name_no_address():
    def unread():
        raise AssertionError

    assert ids_in("the key of 2026 was lost", unread) == []


def test_a_text_of_numbers_alone_is_bound_to_no_more_than_a_transaction_holds():
    assert len(ids_in(" ".join(map(str, range(1000))), lambda: OPAQUE)) == MOST
