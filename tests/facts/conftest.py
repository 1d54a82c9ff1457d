"""The stage of these tests is in memory, unless a test says `ON_THE_ENGINE` or `ON_BOTH`."""

import pytest


@pytest.fixture
def aws(request):
    return request.getfixturevalue(getattr(request, "param", "memory_aws"))
