"""The stage of these tests is in memory."""

import pytest

from tests.rigs.memory_stage import memory_or_engine


@pytest.fixture
def aws(request):
    return memory_or_engine(request)
