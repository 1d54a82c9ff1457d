"""Outreach runs on an account in memory, and waits for no vendor's rate limit."""

import pytest

from tests.rigs.memory_stage import memory_or_engine


@pytest.fixture
def aws(request):
    return memory_or_engine(request)


@pytest.fixture
def outreach(without_rate_limits, outreach):
    return outreach
