"""A first run ends once."""

from ops import first_run_end


def test_what_was_done_once_is_not_asked_again_whatever_breaks_later(console):
    first_run_end.end(console.session)
    assert first_run_end.is_over(console.session)
    assert "/first-run" not in console.browser().get("/").text
