"""The text that a model may see."""

from hypothesis import given
from hypothesis import strategies as st

from chalicelib.redaction import model_view
from tests.rigs.properties import FEW


def test_markup_links_names_and_identifiers_are_removed_and_the_question_stays():
    text = (
        "<p>Hi Anna,&nbsp;my name is John Smith.</p><br>Where is order #1234567? "
        "Call 212-555-0142 or jo@example.com, see https://shop.example.com/a. I live at 12 Main Street. Thanks, Eva"
    )
    assert model_view(text) == (
        "Hi <redacted>, my name is <redacted>. Where is order #1234567? Call <redacted> or <redacted>, "
        "see <redacted>. I live at <redacted>. Thanks, <redacted>"
    )


def test_order_numbers_are_masked_when_asked_for():
    assert model_view("order #1234567", keep_order_numbers=False) == "order #***4567"


def test_words_that_are_not_names_stay():
    assert (
        model_view("Hi there, thanks So much. Hello Team!")
        == "Hi there, thanks So much. Hello Team!"
    )


def test_the_view_is_cut_at_two_thousand_characters():
    assert len(model_view("word " * 5000)) <= 2000


@FEW
@given(st.text(max_size=200))
def test_every_str_is_accepted(text):
    assert len(model_view(text)) <= 2000
