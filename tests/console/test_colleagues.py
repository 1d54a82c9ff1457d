"""The list of colleagues, from the environment."""

import pytest

from chalicelib.outreach.door.access import DeskRole
from console.colleagues import WrongColleaguesError, colleagues


def test_names_are_listed_by_company():
    found = colleagues('{"ci-aaa-001": ["sam@example.com", "Ann"], "ci-bbb-001": ["zoe"]}')
    agents = {"Ann": DeskRole.AGENT, "sam@example.com": DeskRole.AGENT}
    assert found == {"ci-aaa-001": agents, "ci-bbb-001": {"zoe": DeskRole.AGENT}}


def test_a_name_may_have_a_role():
    found = colleagues('{"ci-aaa-001": {"sam@example.com": "agent", "lea@example.com": "lead"}}')
    assert found["ci-aaa-001"] == {
        "sam@example.com": DeskRole.AGENT,
        "lea@example.com": DeskRole.LEAD,
    }


def test_without_a_text_no_company_has_a_list():
    assert colleagues("") == {}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sam", "not JSON"),
        ("[]", "company by company"),
        ('{"ci-aaa-001": "sam"}', "'ci-aaa-001' are not a list of names"),
        ('{"ci-aaa-001": []}', "'ci-aaa-001' are not a list of names"),
        ('{"ci-aaa-001": [" "]}', "'ci-aaa-001' are not a list of names"),
        ('{"ci-aaa-001": [7]}', "'ci-aaa-001' are not a list of names"),
        ('{"ci-aaa-001": {}}', "'ci-aaa-001' are not a list of names"),
        ('{"ci-aaa-001": {"sam": "boss"}}', "role at 'ci-aaa-001' is none of agent, lead"),
        ('{"ci-aaa-001": {"sam": ["agent"]}}', "role at 'ci-aaa-001' is none of agent, lead"),
    ],
)
def test_what_is_wrong_is_named(text, said):
    with pytest.raises(WrongColleaguesError, match=said):
        colleagues(text)
