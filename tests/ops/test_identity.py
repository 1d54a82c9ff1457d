"""Who runs a command."""

import pytest

from ops.identity import Identity
from ops.session import Session


@pytest.mark.parametrize(
    ("resource", "name"),
    [
        ("sts::123456789012:assumed-role/Operators/jo@example.com", "Operators/jo@example.com"),
        ("iam::123456789012:user/jo", "jo"),
        ("iam::123456789012:user/teams/support/jo", "jo"),
        ("sts::123456789012:federated-user/jo", "jo"),
        ("iam::123456789012:root", "root"),
    ],
)
def test_name(resource, name):
    assert Identity("123456789012", f"arn:aws:{resource}").name == name


def test_asked_of_the_stage_once(outreach):
    session = Session("dev")
    found = session.identity
    assert found.account
    assert found.name
    assert session.identity is found
