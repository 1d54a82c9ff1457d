"""Units by DynamoDB's rules, on cases that were computed by hand."""

from decimal import Decimal

import pytest

from bench.rig import units
from bench.rig.units import Index, Layout
from bench.rig.weights import Weights
from chalicelib.once.item_size import size_of_item

ALL = Index(("pk", "state"), None, "by-state")
KEYS_ONLY = Index(("due",), frozenset({"pk", "due"}), "by-due")
LAYOUT = Layout(("pk",), (ALL, KEYS_ONLY))
PLAIN = {"pk": "a"}
IN_ALL = {"pk": "a", "state": "new", "text": "x" * 1100}
MOVED = {**IN_ALL, "state": "old"}
IN_BOTH = {**IN_ALL, "due": 1}


def test_the_size_of_an_item_is_that_of_its_names_and_values():
    assert size_of_item({"pk": "abc", "n": 1234, "yes": True}) == (2 + 3) + (1 + 3) + (3 + 1)
    assert size_of_item({"a": ["bc", {"d": Decimal("1.5")}]}) == 1 + 3 + (2 + 1) + (
        3 + 1 + 2 + 1 + 1
    )
    assert size_of_item({"\u00e4": "\u20ac"}) == 2 + 3


@pytest.mark.parametrize(
    ("before", "after", "charged"),
    [
        (None, PLAIN, 1),  # in no index: they are sparse
        (PLAIN, PLAIN, 1),
        (None, IN_ALL, 2 + 2),
        (IN_ALL, IN_ALL, 2),  # nothing changed, and no index is written
        (IN_ALL, {**IN_ALL, "text": "y"}, 2 + 2),  # the larger of both
        (IN_ALL, MOVED, 2 + 2 + 2),  # the key of an index: an entry deleted and one put
        (IN_ALL, None, 2 + 2),
        (IN_ALL, IN_BOTH, 2 + 2 + 1),  # an entry of keys alone appears
        (IN_BOTH, {**IN_BOTH, "text": "z" * 1100}, 2 + 2),  # and has nothing to change
        (IN_BOTH, {**IN_BOTH, "due": 2}, 2 + 2 + 2),
        (IN_BOTH, IN_ALL, 2 + 2 + 1),
    ],
)
def test_a_write_is_charged_for_the_item_and_each_index_that_it_changes(before, after, charged):
    assert LAYOUT.of_write(before, after) == charged


@pytest.mark.parametrize(("item", "charged"), [(None, 1), (PLAIN, 1), ({"pk": "a" * 1100}, 2)])
def test_a_refused_write_is_charged_by_the_size_of_the_existing_item(item, charged):
    assert units.of_refused(item) == charged


@pytest.mark.parametrize(
    ("sizes", "is_consistent", "charged"),
    [
        ([10], True, 1),
        ([10], False, 0.5),
        ([5000], True, 2),
        ([3000, 3000], False, 1),
        ([], True, 1),
    ],
)
def test_a_read_is_charged_by_four_kilobytes(sizes, is_consistent, charged):
    items = [{"pk": "x" * (siz - 2)} for siz in sizes]
    assert units.of_read(items, is_consistent=is_consistent) == charged


class Engine:
    """A table ``t`` whose items a test changes; answers as a client does."""

    def __init__(self):
        self.items = {}

    def list_tables(self):
        return {"TableNames": ["t"]}

    def describe_table(self, **asked):
        keys = [{"AttributeName": "pk"}], [{"AttributeName": "due"}]
        index = {
            "IndexName": "by-due",
            "KeySchema": keys[1],
            "Projection": {"ProjectionType": "KEYS_ONLY"},
        }
        table = {**asked, "KeySchema": keys[0]}
        return {"Table": {**table, "GlobalSecondaryIndexes": [index]}}

    def batch_get_item(self, **asked):
        keys = [key["pk"]["S"] for key in asked["RequestItems"]["t"]["Keys"]]
        return {"Responses": {"t": [self.items[key] for key in keys if key in self.items]}}

    def query(self, **asked):
        assert asked.keys() == {"TableName", "KeyConditionExpression", "ExpressionAttributeValues"}
        return {"Items": list(self.items.values())}


def row(key, **more):
    return {"pk": {"S": key}, **{name: {"S": value} for name, value in more.items()}}


@pytest.fixture
def engine():
    return Engine()


def charged(engine, operation, asked, *changed, answer=None):
    """The charge of a request that leaves these items."""
    weights = Weights(engine)
    found = weights.before(operation, asked)
    engine.items |= {item["pk"]["S"]: item for item in changed}
    charge = weights.charge(operation, asked, found, answer or {})
    return charge.writes, charge.reads


def test_a_transaction_doubles_each_write_and_each_check(engine):
    new = row("a", due="1")
    asked = {
        "TransactItems": [
            {"Put": {"TableName": "t", "Item": new}},
            {"ConditionCheck": {"TableName": "t", "Key": row("b")}},
        ]
    }
    assert charged(engine, "TransactWriteItems", asked, new) == (2 * (1 + 1 + 1), 0)


def test_a_refused_transaction_is_charged_by_what_was_there(engine):
    engine.items["a"] = row("a", text="x" * 1100)
    asked = {"TransactItems": [{"Update": {"TableName": "t", "Key": row("a")}}]}
    refused = {"Error": {"Code": "TransactionCanceledException"}}
    assert charged(engine, "TransactWriteItems", asked, answer=refused) == (2 * 2, 0)


def test_of_statements_the_refused_one_is_charged_by_what_was_there(engine):
    new = row("a", due="1")
    engine.items["b"] = row("b", text="x" * 2100)
    statements = [
        {"Statement": "INSERT INTO \"t\" VALUE {'pk':?,'due':?}", "Parameters": [*new.values()]},
        {
            "Statement": 'UPDATE "t" SET "text"=? WHERE "pk"=? AND "text"=?',
            "Parameters": [{"S": "new"}, {"S": "b"}, {"S": "old"}],
        },
    ]
    answer = {"Responses": [{}, {"Error": {"Code": "ConditionalCheckFailed"}}]}
    asked = {"Statements": statements}
    assert charged(engine, "BatchExecuteStatement", asked, new, answer=answer) == (2 + 3, 0)


def test_a_batch_is_charged_for_each_item(engine):
    rows = [row("a"), row("b", due="1")]
    asked = {"RequestItems": {"t": [{"PutRequest": {"Item": item}} for item in rows]}}
    assert charged(engine, "BatchWriteItem", asked, *rows) == (1 + 2, 0)
    asked = {"RequestItems": {"t": {"Keys": [row("a"), row("c")], "ConsistentRead": True}}}
    assert charged(engine, "BatchGetItem", asked) == (0, 2)


def test_a_query_is_charged_for_what_it_passes_over(engine):
    engine.items = {"a": row("a", text="x" * 5000), "b": row("b")}
    asked = {
        "TableName": "t",
        "KeyConditionExpression": "pk = :p",
        "FilterExpression": "#due = :due",
        "ProjectionExpression": "#due",
        "ExpressionAttributeNames": {"#due": "due"},
        "ExpressionAttributeValues": {":p": {"S": "a"}, ":due": {"S": "1"}},
    }
    assert charged(engine, "Query", asked) == (0, 1)
