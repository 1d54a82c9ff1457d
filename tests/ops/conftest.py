"""Operators' tests run on an account in memory; a test of the engine says so in its module."""

import pytest


@pytest.fixture
def aws(memory_aws):
    return memory_aws
