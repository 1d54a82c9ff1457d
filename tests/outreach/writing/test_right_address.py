"""Whether a number, an address or a link is given as whose it is."""

import pytest

from tests.outreach.writing.test_checks import rules

CASE = """{"recruiter": "Dana", "recruiter_phone": "+15550100161", "payroll_phone": "+15550100169",
 "form_link": "https://jobs.example.com/form", "map_link": "https://jobs.example.com/map"}"""


@pytest.mark.parametrize(
    ("text", "said", "found"),
    [
        ("Payroll is at +1 555 010 0169.", "", ()),
        ("Payroll is at +1 555 010 0161.", "", ("role",)),
        ("You can reach Dana at 555-010-0161.", "I need Dana's number", ()),
        ("You can reach Dana at 555-010-0169.", "I need Dana's number", ("role",)),
        ("It is +1 555 010 0161.", "What is Dana's number?", ()),
        ("It is +1 555 010 0169.", "What is Dana's number?", ("role",)),
        ("The form is at https://jobs.example.com/form", "", ()),
        ("The form is at https://jobs.example.com/map", "", ("role",)),
    ],
)
def test_an_address_is_not_given_as_somebody_elses(text, said, found):
    assert rules(text, case=CASE, said=said) == found


def test_the_role_is_known_in_other_languages():
    german = frozenset({"de"})
    for number, found in (("0169", ()), ("0161", ("role",))):
        text = f"Die Lohnbuchhaltung erreichen Sie unter +1 555 010 {number}."
        assert rules(text, case=CASE, language=german) == found
