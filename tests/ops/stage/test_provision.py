"""An existing table gets its missing parts, in the order that DynamoDB accepts."""

import pytest

from ops.stage import provision
from ops.stage.template import StageTemplate, StageTemplateError
from tests.rigs.ops_session import session

NAME = "rp_mw_test"
KEY = [{"AttributeName": "id", "KeyType": "HASH"}]


def index(name):
    return {"IndexName": name, "KeySchema": [{"AttributeName": name, "KeyType": "HASH"}]}


class OneIndexAtATime:
    """DynamoDB with one table, which makes one index at a time, for as long as some descriptions take."""

    class exceptions:  # noqa: N801 - boto3's name
        ResourceNotFoundException = KeyError

    def __init__(self, *there, looks=2):
        self.indexes, self._looks, self.protected = dict.fromkeys(there, 0), looks, False

    def describe_table(self, **asked):
        assert asked == {"TableName": NAME}
        self.indexes = {name: max(0, left - 1) for name, left in self.indexes.items()}
        return {"Table": self.table}

    @property
    def table(self):
        statuses = [
            index(name) | {"IndexStatus": "CREATING" if left else "ACTIVE"}
            for name, left in self.indexes.items()
        ]
        return {
            "KeySchema": KEY,
            "TableArn": "arn",
            "TableStatus": "ACTIVE",
            "DeletionProtectionEnabled": self.protected,
            "GlobalSecondaryIndexes": statuses,
        }

    def update_table(self, **asked):
        assert not any(self.indexes.values()), "LimitExceededException"
        new = [one["Create"]["IndexName"] for one in asked.get("GlobalSecondaryIndexUpdates", ())]
        assert len(new) <= 1, "ValidationException"
        self.indexes |= dict.fromkeys(new, self._looks)
        if new:
            defined = {one["AttributeName"] for one in asked["AttributeDefinitions"]}
            assert defined == {"id", *self.indexes}, "some AttributeDefinitions are not used"
        self.protected = asked.get("DeletionProtectionEnabled", self.protected)

    def list_tags_of_resource(self, **_asked):
        return {"Tags": []}


@pytest.fixture
def pauses(monkeypatch):
    slept = []
    monkeypatch.setattr(provision.time, "sleep", slept.append)
    return slept


def provisioned(table, *indexes, **more):
    declared = {
        "TableName": NAME,
        "KeySchema": KEY,
        "AttributeDefinitions": [{"AttributeName": name} for name in ("id", *indexes)],
        "GlobalSecondaryIndexes": [index(name) for name in indexes],
        **more,
    }
    raw = {"Resources": {"Table": {"Type": "AWS::DynamoDB::Table", "Properties": declared}}}
    template = StageTemplate(raw, {"Stage": "dev"}, account="0" * 12, region="us-east-1")
    (made,) = provision.tables(session(dynamodb=table), template, backups=False)
    return made


def test_several_new_indexes_are_created_one_after_the_other(pauses):
    table = OneIndexAtATime("old")
    made = provisioned(table, "old", "one", "two", DeletionProtectionEnabled=True)
    assert made.changes == ("index one", "index two", "deletion protection")
    assert (set(table.indexes), table.protected) == ({"old", "one", "two"}, True)
    assert pauses, "it is looked at now and then, and not all the time"


def test_an_index_in_creation_is_waited_for(pauses):
    """An earlier provisioning was interrupted, or another one runs concurrently."""
    table = OneIndexAtATime()
    table.indexes["one"] = 3
    assert provisioned(table, "one", "two").changes == ("index two",)


def test_an_index_that_takes_too_long_is_reported(pauses):
    table = OneIndexAtATime(looks=10**9)
    with pytest.raises(StageTemplateError, match="provision again"):
        provisioned(table, "one")
    assert sum(pauses) >= 600


def test_a_table_with_all_indexes_is_not_waited_for(pauses):
    assert provisioned(OneIndexAtATime("one"), "one").did == "unchanged"
    assert pauses == []
