"""Canaries find an address in every notation, and no other person's address."""

import base64
import gzip
import json
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ops.companies.erase import Subjects
from ops.companies.erase_canaries import canaries, keys_of, of_address, texts_of
from ops.companies.erase_subject import TheirSubjects
from ops.companies.erase_verdicts import TheirNames

TEL, MAIL = "+15550100001", "jane.doe@example.com"
LOFT = "loft:blue-7"
"""An address of a kind that is neither a number nor a mailbox."""
BETWEEN = st.sampled_from(["", " ", "-", ".", " (", ") ", "/", "\u00a0"])
SURROUNDINGS = st.text("abc ,:", max_size=6)


def seen(item, found, keys=()):
    texts = list(texts_of(item))
    return [canary.name for canary in found if canary.is_in(item, texts, keys_of(item, keys))]


def hidden(text, before=""):
    """A text in every form in which stored values hold it."""
    return {
        "plain": {"a": [{"b": before + text}]},
        "key": {before + text: 1},
        "quoted": {"a": f"?of={quote(text, safe='')}"},
        "json": {"a": json.dumps({"x": before + text}).replace("@", "\\u0040")},
        "base64": {"a": base64.b64encode((before + text).encode()).decode()},
        "packed": {"a": gzip.compress((before + text).encode())},
    }


@pytest.mark.parametrize("wrapping", ["plain", "key", "quoted", "json", "base64", "packed"])
@pytest.mark.parametrize("address", [TEL, MAIL, LOFT])
@given(before=SURROUNDINGS)
def test_an_address_is_found_in_every_wrapping(address, wrapping, before):
    found = list(of_address(address, "address 1"))
    assert seen(hidden(address, f"{before} ")[wrapping], found)


@given(data=st.data())
def test_a_number_is_found_with_any_separators_and_without_its_country(data):
    digits = TEL[1:] if data.draw(st.booleans()) else TEL[2:]
    start = data.draw(st.sampled_from(["", "+", "00", "0", "tel:", "whatsapp:+"]))
    written = digits[0] + "".join(data.draw(BETWEEN) + digit for digit in digits[1:])
    assert seen({"a": f"call {start}{written} now"}, list(of_address(TEL, "address 1")))


@pytest.mark.parametrize("text", ["7", "2026-11-07", "loft:blue-77", "aloft:blue-7", "blue-7"])
def test_an_address_of_another_kind_is_found_by_all_of_it_alone(text):
    assert not seen({"a": text}, list(of_address(LOFT, "address 1")))
    assert seen({"a": f"{text} to {LOFT.title()}"}, list(of_address(LOFT, "address 1")))


@given(data=st.data())
def test_a_mailbox_is_found_in_any_case_with_any_tag_and_dots(data):
    local = "".join(letter + data.draw(st.sampled_from(["", "."])) for letter in "janedo") + "e"
    tag = data.draw(st.sampled_from(["", "+shop", "+a.b-c"]))
    written = data.draw(st.sampled_from([str.lower, str.upper, str.title]))
    text = written(f"<{local}{tag}@example.com>")
    assert seen({"a": text}, list(of_address(MAIL, "address 1")))


@pytest.mark.parametrize(
    "text",
    [
        *("+155501000012", "915550100001", "5550100002", "1555010000", "1795550100"),
        *("mjane.doe@example.com", "jane.doe@example.community", "jane@example.com", "janet.doe"),
    ],
)
def test_what_is_only_alike_is_another_persons(text):
    for address in (TEL, MAIL):
        assert not seen({"a": text}, list(of_address(address, "address 1")))


def test_a_linked_address_counts_in_its_company_alone():
    found = canaries(Subjects(theirs=TheirSubjects(linked=frozenset({("ci-1", MAIL)}))))
    assert seen({"company_id": "ci-1", "a": MAIL}, found)
    assert seen({"a": MAIL}, found), "whose it is, is not known"
    assert not seen({"company_id": "ci-2", "a": MAIL}, found)
    for row in ("internal:ci-1#x", "subject#ci-1", "verdicts:ci-1#pi"):
        assert seen({"k": row, "a": MAIL}, found, ["k"])
        assert not seen({"k": row.replace("ci-1", "ci-2"), "a": MAIL}, found, ["k"])


def test_a_short_id_is_found_in_keys_and_a_long_one_in_any_text():
    long = "5f3a" * 8
    found = canaries(Subjects(ids=("1042", long)))
    assert seen({"k": "evt:1042:c-1", "a": "x"}, found, ["k"])
    assert not seen({"k": "evt:10421", "a": "1042"}, found, ["k"])
    assert seen({"k": "x", "a": f"of {long}."}, found, ["k"])
    assert all(canary.is_id for canary in found)


def test_names_are_looked_for_together_and_words_as_they_are_given():
    names = TheirNames(frozenset({("ci-1", "jane", "doe"), ("ci-1", "", "roe")}))
    found = canaries(Subjects(names=names), ["in  hospital", " "])
    assert seen({"a": "Jane Doe, in HOSPITAL"}, found) == ["name 2", "word 1"]
    assert not seen({"a": "Jane and John Doe in hospitals"}, found)


def test_no_canary_shows_its_value():
    found = canaries(Subjects((TEL, MAIL), ("5f3a" * 8,)), ["hospital"])
    assert not [word for word in (TEL[1:], "jane", "5f3a", "hospital") if word in repr(found)]
    assert all(len(canary.name) < 30 for canary in found)
