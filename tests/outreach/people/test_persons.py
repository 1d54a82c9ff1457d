"""What a person at a desk may be called."""

from chalicelib.outreach.people.persons import stored_name
from tests.rigs.each_row import each_row


@each_row("mark", ["\u061c", "\u200e", "\u200f", "\u202e", "\u2066"])
@each_row("name", ["{}sam", "sa{}m", "sam{}"])
def test_no_name_has_a_mark_that_turns_the_direction_of_a_text(name, mark):
    assert stored_name(name.format(mark)) is None
    assert stored_name(name.format("")) == "sam"
