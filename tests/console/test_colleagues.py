"""The list of colleagues, from the environment."""

import pytest

from console.colleagues import WrongColleaguesError, colleagues


def test_names_are_listed_by_company():
    found = colleagues('{"ci-aaa-001": ["sam@example.com", "Ann"], "ci-bbb-001": ["zoe"]}')
    assert found == {"ci-aaa-001": ("Ann", "sam@example.com"), "ci-bbb-001": ("zoe",)}


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
    ],
)
def test_what_is_wrong_is_named(text, said):
    with pytest.raises(WrongColleaguesError, match=said):
        colleagues(text)
