"""What a person must do at a vendor is listed on the set-up page, and a page that asks for it says so."""

import re
from pathlib import Path

from tests.house.test_docs import anchors

DOCS = Path(__file__).parents[2] / "docs"
LIST = "setup.md"
MENDING = ("runbook", "restoring")
"""Beginnings of pages of what to do when something is wrong, which is no set-up."""
ASKS = re.compile(
    r"\bby hand\b|HTTP target|\b(?:tagging|assignment|receipt) rules?\b|\bMX record|"
    r"App registration|Service Quotas|production access|\bsandbox\b|\bprivate app\b|\bRegister the\b|"
    r"\bscopes? `|\buser of the tenant\b|CREATE EXTERNAL TABLE|\blakehouse\b|"
    r"The key must be allowed|inbound URL",
    re.IGNORECASE,
)
"""How the pages speak of what is entered in a vendor's interface."""
ROW = re.compile(r"^\| ([a-z][a-z ]+) \| (.+) \| (.*) \|$", re.MULTILINE)


def sections():
    """Every section of the pages that set up: its page and anchor, and its text."""
    for page in sorted(DOCS.glob("*.md")):
        if page.name.startswith(MENDING):
            continue
        parts = re.split(r"^(#+ .+)$", page.read_text(), flags=re.MULTILINE)
        for title, text in zip(parts[1::2], parts[2::2], strict=True):
            (anchor,) = anchors(title)
            yield page.name, anchor, f"{title}\n{text}"


def listed():
    """The rows of what a person does: name and the links of where it is described."""
    page = (DOCS / LIST).read_text()
    rows = page.split("## What a person does")[1].split("## Then")[0]
    more = page.split("## What more a person does")[1].split("\n## ")[0]
    return [
        (name, re.findall(r"\]\(([^)]+)\)", where) or [where.strip()])
        for name, _, where in ROW.findall(rows + more)
    ]


def test_every_section_that_asks_for_a_hand_is_on_the_list_or_leads_to_it():
    described = {link for _, links in listed() for link in links}
    for page, anchor, text in sections():
        asks = ASKS.search(text)
        if asks and page != LIST:
            is_listed = {f"{page}#{anchor}", page} & described
            assert is_listed or f"({LIST}" in text, f"{page}#{anchor}: {asks[0]}"


def test_every_description_on_the_list_says_what_to_do():
    texts = {f"{page}#{anchor}": text for page, anchor, text in sections()}
    rows = listed()
    assert len({name for name, _ in rows}) == len(rows) > 15
    for name, links in rows:
        for link in links:
            if "#" in link:
                assert ASKS.search(texts[link]), f"{name}: {link} asks for nothing"
