"""The house's stages are on an account in memory; what is about the engine says so in its module."""

import pytest


@pytest.fixture
def aws(memory_aws):
    return memory_aws
