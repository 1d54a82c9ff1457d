"""The doors are attacked over an account in memory."""

import pytest


@pytest.fixture
def aws(memory_aws):
    return memory_aws
