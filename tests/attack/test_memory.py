"""What the worst bodies take of a function's memory, in processes of their own."""

import pytest

from local import company
from local.vendors.hubspot import TARGET_URL
from tests.attack import memory
from tests.attack.doors import DOORS

WITH_BODIES = tuple(door.name for door in DOORS if door.limit)


@pytest.fixture
def aws(engine_aws):
    """The engine: another process reads it."""
    return engine_aws


@pytest.mark.parametrize(
    "doors",
    [("richpanel",), pytest.param(WITH_BODIES, marks=pytest.mark.long)],
    ids=["one door", "every door"],
)
def test_no_body_takes_much_memory(app_environment, stage, doors):
    company.create(stage)
    company.open_desk(stage)
    more = {"PUBLIC_BASE_URL": company.PUBLIC_URL, "HUBSPOT_WEBHOOK_URL": TARGET_URL}
    found = memory.measured({**app_environment, **more}, stage.secrets, doors)
    assert {door for door, _ in found} == set(doors)
    assert max(found.values()) <= memory.LIMIT_MB, memory.table(found)
