"""A table that is there gets what it lacks, in the order in which DynamoDB takes it."""

from types import SimpleNamespace

import pytest

from ops.stage import provision
from ops.stage.template import TemplateError

NAME = "rp_mw_test"
KEY = [{"AttributeName": "id", "KeyType": "HASH"}]


def index(name):
    return {"IndexName": name, "KeySchema": [{"AttributeName": name, "KeyType": "HASH"}]}


class OneAtATime:
    """DynamoDB's table, of which one index is made at a time, during some looks at it."""

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
def naps(monkeypatch):
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
    resource = SimpleNamespace(logical_id="Table", properties=declared)
    template = SimpleNamespace(resources=lambda _type: [resource])
    clients = SimpleNamespace(client=lambda _service: SimpleNamespace(**public(table)))
    (made,) = provision.tables(clients, template, backups=False)
    return made


def public(table):
    names = ("describe_table", "update_table", "list_tags_of_resource")
    errors = SimpleNamespace(ResourceNotFoundException=KeyError)
    return {name: getattr(table, name) for name in names} | {"exceptions": errors}


def test_several_new_indexes_are_made_one_after_the_other(naps):
    table = OneAtATime("old")
    made = provisioned(table, "old", "one", "two", DeletionProtectionEnabled=True)
    assert made.changes == ("index one", "index two", "deletion protection")
    assert (set(table.indexes), table.protected) == ({"old", "one", "two"}, True)
    assert naps, "it is looked at now and then, and not all the time"


def test_an_index_that_is_still_being_made_is_waited_for(naps):
    """Whoever provisioned before was interrupted, or another stands beside."""
    table = OneAtATime()
    table.indexes["one"] = 3
    assert provisioned(table, "one", "two").changes == ("index two",)


def test_an_index_that_takes_too_long_is_told_of(naps):
    table = OneAtATime(looks=10**9)
    with pytest.raises(TemplateError, match="provision again"):
        provisioned(table, "one")
    assert sum(naps) >= 600


def test_a_table_that_lacks_no_index_is_not_waited_for(naps):
    assert provisioned(OneAtATime("one"), "one").did == "unchanged"
    assert naps == []
