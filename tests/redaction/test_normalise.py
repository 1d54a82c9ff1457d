"""The normalised view and its mapping back to the text."""

from hypothesis import given
from hypothesis import strategies as st

from chalicelib.redaction.normalise import normalise


@given(st.text("ab1２\u200b%4&#6;u0\\é½ﬁ\u0130\u202e", max_size=60))
def test_every_span_of_the_view_maps_into_the_text_in_order(text):
    view = normalise(text)
    assert len(view.cased) == len(view.low)
    done = 0
    for position in range(len(view.low)):
        start, end = view.span(position, position + 1)
        assert done <= start < end <= len(text) or start < done <= end
        done = max(done, start)


def test_escapes_digits_and_invisible_characters_are_normalised():
    assert normalise("a%40b &#64; \\u0040 ２\u200b٣").low == "a@b @ @ 23"


def test_a_span_covers_the_whole_escape():
    text = "jo&#64;x"
    view = normalise(text)
    assert [text[slice(*view.span(i, i + 1))] for i in range(4)] == ["j", "o", "&#64;", "x"]
