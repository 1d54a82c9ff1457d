"""An operator's session waits longer for AWS services that answer after seconds."""

import pytest

from local.stack import resources
from ops.session import Session


@pytest.fixture
def session(monkeypatch):
    for name, value in resources.Aws("http://127.0.0.1:9").environment.items():
        monkeypatch.setenv(name, value)
    return Session("dev")


@pytest.mark.parametrize("service", ["cloudformation", "lambda", "s3"])
def test_what_answers_an_operator_after_seconds_is_waited_for(session, service):
    assert session.client(service).meta.config.read_timeout >= 60


@pytest.mark.parametrize("service", ["dynamodb", "sqs"])
def test_a_row_is_lost_after_seconds_and_asked_for_again(session, service):
    assert session.client(service).meta.config.read_timeout < 10
