"""An edit, word by word."""

from hypothesis import given
from hypothesis import strategies as some

from console.word_diff import CAME, SAME, WENT, word_differences


def test_a_changed_word_is_shown_and_nothing_beside_it():
    assert list(word_differences("See you at nine.", "See you at ten.")) == [
        (SAME, "See you at "),
        (WENT, "nine"),
        (CAME, "ten"),
        (SAME, "."),
    ]


@given(some.text(max_size=60), some.text(max_size=60))
def test_both_texts_can_be_read_from_it(before, after):
    parts = list(word_differences(before, after))
    assert "".join(text for mark, text in parts if mark != CAME) == before
    assert "".join(text for mark, text in parts if mark != WENT) == after
