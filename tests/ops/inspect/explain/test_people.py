"""Every company is asked about a person; the answer says so where companies cannot be listed."""

from types import SimpleNamespace

import pytest

from chalicelib.errors import TransientError
from ops.inspect.explain import people


class Table:
    """Settings of two projects on the first of several pages, or what AWS refuses."""

    def __init__(self, code=None, rest=None):
        self.code, self.rest = code, rest

    def scan_page(self, **_how):
        if self.code:
            raise TransientError("dynamodb", "scan", reason=self.code)
        return [{"company_id": "ci-b"}, {"company_id": "ci-a"}, {"company_id": "ci-a"}], self.rest


def session(**how):
    settings = SimpleNamespace(company_data_table="t")
    return SimpleNamespace(
        services=SimpleNamespace(settings=settings, table=lambda _name: Table(**how))
    )


def test_every_company_is_asked_once():
    assert people.companies(session()) == (["ci-a", "ci-b"], ())


def test_companies_of_further_pages_are_said_to_be_left_out():
    found, (left_out,) = people.companies(session(rest={"company_id": "ci-b"}))
    assert (found, left_out.place) == (["ci-a", "ci-b"], "further companies")


def test_a_role_that_may_not_list_them_is_no_company_asked():
    found, (left_out,) = people.companies(session(code="AccessDeniedException"))
    assert (found, left_out.because) == ([], "your role may not list them")


def test_any_other_error_is_raised():
    with pytest.raises(TransientError):
        people.companies(session(code="InternalServerError"))
