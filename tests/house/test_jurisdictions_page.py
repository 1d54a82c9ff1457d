"""docs/jurisdictions.md has every rule of the files, and each rule has a test of its own."""

from bench.report import jurisdictions as report
from chalicelib.outreach.jurisdictions.rulebook import KINDS, REASON_CODES, jurisdictions
from tests.rigs.rule_cases import CASES


def test_the_page_has_the_rules_of_this_release():
    """If this fails, run `python -m bench.report.jurisdictions`."""
    assert report.PAGE.read_text() == report.page()


def test_every_rule_has_a_message_that_it_refuses_and_one_that_it_allows():
    assert set(CASES) == {
        rule.id for jurisdiction in jurisdictions() for rule in jurisdiction.rules
    }


def test_every_kind_of_rule_is_used_and_has_a_code():
    assert (
        set(KINDS)
        == set(REASON_CODES)
        == {rule.kind for jurisdiction in jurisdictions() for rule in jurisdiction.rules}
    )
