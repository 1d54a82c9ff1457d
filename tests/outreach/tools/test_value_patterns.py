import pytest

from chalicelib.outreach.tools import value_patterns


@pytest.mark.parametrize(
    ("pattern", "text", "is_found"),
    [
        (r"^JR\d{3}$", "JR123", True),
        (r"^JR\d{3}$", "JR1234", False),
        (r"\d", "no. 7", True),
        (r"^([A-Z0-9]+-?)+$", "AB-12", True),
        (r"^\p{L}+$", "Zoë", True),
        ("", "anything", True),
    ],
)
def test_a_pattern_is_looked_for_anywhere(pattern, text, is_found):
    assert value_patterns.fault(pattern) is None
    assert value_patterns.matches(pattern, text) is is_found


@pytest.mark.parametrize(
    "pattern", ["[", r"(?=a)b", r"(a)\1", "(a{1000}){1000}", "a" * 501, "\ud800", 7, None]
)
def test_what_cannot_be_matched_in_bounded_time_is_no_pattern(pattern):
    assert value_patterns.fault(pattern) is not None


def test_a_nested_repetition_does_not_backtrack():
    """With `re` this takes longer than the universe has lasted."""
    assert not value_patterns.matches(r"^([A-Z0-9]+-?)+$", "A" * 8000 + "!")
