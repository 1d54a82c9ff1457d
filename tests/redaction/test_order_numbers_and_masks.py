"""Order words, and how much a mask shows."""

import re

from hypothesis import given
from hypothesis import strategies as st

from chalicelib.redaction.redactor import redact, redact_counted
from chalicelib.redaction.sheet import Kind
from tests.rigs.properties import FEW

LEADS = st.sampled_from(
    ["my purchase", "mi compra", "purchase no.", "compra:", "my order number? its", "order number? It's",
     "¿mi número de compra? es", "myorder", "the status of my purchase"]
)  # fmt: skip


@FEW
@given(LEADS, st.from_regex(r"[1-9][0-9]{4,9}", fullmatch=True))
def test_an_order_word_gives_the_orders_mask(lead, digits):
    redacted, counts = redact_counted(f"{lead} {digits} please")
    assert redacted == f"{lead} ***{digits[-4:]} please"
    assert dict(counts) == {Kind.ORDER: 1}


@FEW
@given(st.from_regex(r"[1-9][0-9]{3,9}", fullmatch=True), st.sampled_from(["SO-", "so-"]))
def test_a_sales_order_needs_no_word(digits, prefix):
    assert redact(f"{prefix}{digits} is late") == f"***{digits[-4:]} is late"


def test_a_question_about_something_else_gives_no_number_its_meaning():
    text = "Where is my order? I saw 2024 people in the shop"
    assert redact(text) == text


PHONES = st.sampled_from(["212-555-0142", "(212) 555-0142", "+1 212 555 0142", "030/1234567", "+49 30 1234567", "011 15-2340-7814"])  # fmt: skip
JOINTS = st.sampled_from(
    ["/", " / ", " (", "(", " x", " ext. ", ", ext ", " - ", "; ", "-", " ext"]
)


@FEW
@given(PHONES, JOINTS, st.from_regex(r"[2-9][0-9]{0,13}", fullmatch=True), st.sampled_from(["", ")"]))  # fmt: skip
def test_a_mask_shows_the_last_four_of_the_whole_and_no_more(phone, joint, more, end):
    redacted = redact(f"call {phone}{joint}{more}{end}")
    for shown in re.findall(r"\*\*\*([\d /()\-x]*)", redacted):
        assert sum(map(str.isdigit, shown)) <= 4 + 6 * (len(more) < 7), redacted
    assert not re.search(r"\d{7}", redacted), redacted
