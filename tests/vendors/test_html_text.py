"""Text from HTML of customers' mail programs, valid or broken."""

import time

import pytest

from chalicelib.vendors.html_text import plain_text


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<p>Hi,<br>where is it &amp; why?</p>", "Hi,\nwhere is it & why?"),
        ("a <b>bold</b> word<!-- and <p>a note -->", "a bold word"),
        ("<title>Mail</title><style>p {}</style><script>x()</script>Yes<br/>now", "Yes\nnow"),
        ("<h5>Order</h5>late<ul><li>one<li>two</ul>end", "Order\nlate\none\ntwo\nend"),
        ("2 < 3 and <3", "2 < 3 and <3"),
    ],
)
def test_html_is_reduced_to_its_visible_text(body, text):
    assert plain_text(body) == text


def test_numbers_of_neighbouring_cells_are_not_one_number():
    row = "<tr><th>Order</th><td>1001</td><td>2</td></tr><tr><td>1002</td></tr>"
    assert plain_text(f"<table>{row}</table>") == "Order 1001 2\n1002"


def test_a_head_without_its_end_hides_nothing():
    """Its end tag may be left out in HTML."""
    page = "<html><head><meta charset=utf-8><title>x</title><body>Where is it?</html>"
    assert plain_text(page) == "Where is it?"


@pytest.mark.parametrize("piece", ["<", "<style ", "<br ", "<!--", "<a", "</p", "&lt"])
def test_text_takes_time_in_proportion_to_its_length(piece):
    """One e-mail may contain a hundred kilobytes; a look-ahead from each tag would take minutes."""
    started = time.process_time()
    plain_text(piece * 40_000)
    assert time.process_time() - started < 1
