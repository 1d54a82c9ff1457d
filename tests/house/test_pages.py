"""A page is short, is reached from the index, and what leads to it from elsewhere leads somewhere."""

import re
import tomllib
from pathlib import Path

import pytest

from tests.house.test_docs import anchors
from tests.rigs.each_row import each_row

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.glob("*.md"))
LONGEST = 1_500
"""Words of a page, without the targets of its links."""
GENERATED = {"performance.md"}
NAMED = re.compile(r"\bdocs/([a-z0-9.-]+\.(?:md|yaml))(?:#([\w-]+))?")
"""A page as the code, its comments and the alarms name it."""


def words(text):
    return len(re.findall(r"\w\S*", re.sub(r"\]\([^)]*\)", "]", text)))


def linked(text):
    """The pages that a page links to."""
    return set(re.findall(r"\]\((?:docs/)?([\w.-]+\.md)(?:#[\w-]+)?\)", text))


@each_row("path", [page for page in PAGES if page.name not in GENERATED])
def test_a_page_is_read_in_a_few_minutes(path):
    assert words(path.read_text()) <= LONGEST, f"{path.name}: {words(path.read_text())} words"


def test_the_index_leads_to_every_page_once_and_says_who_reads_it():
    index = (DOCS / "index.md").read_text()
    rows = re.findall(r"^\| \[[^\]]+\]\(([\w.-]+\.md)\) \| (\w.+) \|$", index, re.MULTILINE)
    assert sorted(name for name, _ in rows) == sorted({page.name for page in PAGES} - {"index.md"})


@pytest.mark.parametrize(("name", "longest"), [("README.md", 900), ("CHANGELOG.md", 600)])
def test_what_is_read_first_is_short(name, longest):
    """A reader takes in each of them in a few minutes."""
    assert words((ROOT / name).read_text()) <= longest


def test_the_version_is_the_same_wherever_it_is_said():
    """The newest section of the changelog that is no *Unreleased*, the package, the API, the notes."""
    package = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    released = re.findall(r"^## \[(\d[\d.]*)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    api = re.search(r'^  version: "(.+)"$', (DOCS / "openapi.yaml").read_text(), re.MULTILINE)
    assert api
    assert released[0] == package == api[1]
    minor = package.rpartition(".")[0]
    assert f"release-notes-{minor}.md" in linked((ROOT / "README.md").read_text())
    assert (DOCS / f"release-notes-{minor}.md").exists()


def test_the_readme_leads_to_the_index():
    assert "index.md" in linked((ROOT / "README.md").read_text())


def test_a_page_of_an_area_leads_to_its_overview():
    """From `outreach-stop` a reader who came by a search finds `outreach`, which leads to the rest."""
    for path in PAGES:
        overview = DOCS / f"{path.stem.partition('-')[0]}.md"
        if overview.exists() and overview != path:
            assert overview.name in linked(path.read_text()), path.name


def test_no_page_has_two_headings_of_one_anchor():
    for path in PAGES:
        text = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.MULTILINE | re.DOTALL)
        titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
        assert len(anchors(text)) == len(titles), path.name


def test_every_page_that_code_and_alarms_name_is_there_with_its_section():
    files = [ROOT / "app.py", ROOT / "Makefile", *(ROOT / ".chalice").glob("*.json")]
    for folder in ("bench", "chalicelib", "console", "local", "ops", "tests"):
        files += (path for path in (ROOT / folder).rglob("*") if path.suffix in (".py", ".toml"))
    named = {
        (page, anchor)
        for file in files
        for page, anchor in NAMED.findall(file.read_text(errors="replace"))
    }
    assert len(named) > 80
    for page, anchor in named:
        assert (DOCS / page).exists(), page
        assert not anchor or anchor in anchors((DOCS / page).read_text()), f"{page}#{anchor}"
