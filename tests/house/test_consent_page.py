"""The pages on consent have the figures that are measured, and the codes that the code gives."""

import re
from pathlib import Path

from bench.measures import words as measure
from chalicelib.outreach.consent.contact_words import HeardBy

FIGURES, PAGE = (
    Path(__file__).parents[2] / "docs" / name for name in ("consent-figures.md", "consent.md")
)


def test_the_page_has_the_figures_of_this_release():
    """If this fails, put what `python -m bench.measures.words` prints between the marks."""
    written = FIGURES.read_text().split("<!-- figures -->\n")[1].split("<!-- end of figures -->")[0]
    assert written.strip() == "\n".join(measure.measured()).strip()


def test_the_page_names_every_code():
    table = PAGE.read_text().split("| `why` |")[1].split("\n\n")[0]
    assert set(re.findall(r"`(\w+)`", table)) == {way.value for way in HeardBy}
