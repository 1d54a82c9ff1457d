"""Batches, pages and cancelled transactions, over the real SDK and a scripted server."""

import boto3
import pytest
from botocore.config import Config

from chalicelib.aws.dynamo import BATCH_TRIES, Table
from chalicelib.errors import TransientError
from chalicelib.once.store import TransactionConflict, TransactionRefused
from tests.rigs import vendor_server as does

NAME = "t"


@pytest.fixture
def table(vendor):
    client = boto3.client(
        "dynamodb",
        endpoint_url=vendor.url,
        region_name="us-east-1",
        aws_access_key_id="x",
        aws_secret_access_key="x",
        config=Config(retries={"total_max_attempts": 1}),
    )
    return Table(client, NAME)


def key(number):
    return {"event_id": {"S": str(number)}}


def keys(count):
    return [{"event_id": str(number)} for number in range(count)]


def found(*numbers, left=()):
    unprocessed = {NAME: {"Keys": [key(n) for n in left]}} if left else {}
    rows = {NAME: [key(n) for n in numbers]}
    return does.answer(200, {"Responses": rows, "UnprocessedKeys": unprocessed})


def put(*, left=()):
    puts = [{"PutRequest": {"Item": key(n)}} for n in left]
    return does.answer(200, {"UnprocessedItems": {NAME: puts} if left else {}})


def asked(vendor):
    return [request.json["RequestItems"][NAME] for request in vendor.requests]


def test_keys_left_undone_are_asked_for_again_and_no_others(vendor, table):
    vendor.will(found(0, left=(1, 2)), found(1, left=(2,)), found(2))
    rows = table.get_all(keys(3), attributes=["event_id"])
    assert rows == keys(3)
    assert [request["Keys"] for request in asked(vendor)] == [
        [key(0), key(1), key(2)],
        [key(1), key(2)],
        [key(2)],
    ]


def test_items_left_undone_are_put_again_and_no_others(vendor, table):
    vendor.will(put(left=(1,)), put())
    table.put_all(keys(2))
    assert [len(puts) for puts in asked(vendor)] == [2, 1]


@pytest.mark.parametrize("verb", ["get_all", "put_all"])
def test_a_batch_that_is_never_done_whole_is_an_error(vendor, table, verb):
    vendor.will(found(left=(1,)) if verb == "get_all" else put(left=(1,)))
    more = {"attributes": ["event_id"]} if verb == "get_all" else {}
    with pytest.raises(TransientError) as caught:
        getattr(table, verb)(keys(2), **more)
    assert caught.value.reason == "unprocessed"
    assert len(vendor.requests) == BATCH_TRIES


@pytest.mark.parametrize(
    ("count", "sizes"), [(0, []), (1, [1]), (100, [100]), (101, [100, 1]), (201, [100, 100, 1])]
)
def test_a_read_takes_a_hundred_keys_at_a_time(vendor, table, count, sizes):
    vendor.will(found())
    assert table.get_all(keys(count), attributes=["event_id"]) == []
    assert [len(request["Keys"]) for request in asked(vendor)] == sizes
    assert all(request["ConsistentRead"] for request in asked(vendor))
    assert [k for request in asked(vendor) for k in request["Keys"]] == [
        key(n) for n in range(count)
    ]


@pytest.mark.parametrize(
    ("count", "sizes"), [(0, []), (25, [25]), (26, [25, 1]), (51, [25, 25, 1])]
)
def test_a_write_takes_twenty_five_items_at_a_time(vendor, table, count, sizes):
    vendor.will(put())
    table.put_all(keys(count))
    assert [len(puts) for puts in asked(vendor)] == sizes
    items = [put["PutRequest"]["Item"] for part in asked(vendor) for put in part]
    assert items == [key(n) for n in range(count)]


def page(*numbers, last=None):
    more = {"LastEvaluatedKey": key(last)} if last is not None else {}
    return does.answer(200, {"Items": [key(n) for n in numbers], **more})


def test_every_page_is_read_an_empty_one_too(vendor, table):
    vendor.will(page(0, last=0), page(last=5), page(6))
    assert list(table.query_pages(KeyConditionExpression="a = :a", values={"a": 1})) == [
        {"event_id": "0"},
        {"event_id": "6"},
    ]
    starts = [request.json.get("ExclusiveStartKey") for request in vendor.requests]
    assert starts == [None, key(0), key(5)]


def test_a_bounded_query_asks_for_what_is_missing_and_no_more(vendor, table):
    vendor.will(page(0, 1, last=1), page(2, last=2))
    assert len(table.query_all(at_most=3, KeyConditionExpression="a = 1")) == 3
    assert [request.json["Limit"] for request in vendor.requests] == [3, 1]
    assert vendor.requests[1].json["ExclusiveStartKey"] == key(1)


def test_a_bounded_query_ends_with_the_last_page(vendor, table):
    vendor.will(page(0))
    assert len(table.query_all(at_most=3, KeyConditionExpression="a = 1")) == 1
    assert len(vendor.requests) == 1


def cancelled(*reasons):
    body = {
        "__type": "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
        "CancellationReasons": list(reasons),
    }
    return does.answer(400, body)


NONE, FAILED = {"Code": "None"}, {"Code": "ConditionalCheckFailed"}


@pytest.mark.parametrize(
    ("reasons", "kind", "reason"),
    [
        ((FAILED, {"Code": "TransactionConflict"}), TransactionConflict, "TransactionConflict"),
        ((NONE, {"Code": "ThrottlingError"}), TransientError, "ThrottlingError"),
        ((FAILED, {"Code": "ThrottlingError"}), TransientError, "ThrottlingError"),
        ((NONE, NONE), TransientError, "cancelled"),
        ((), TransientError, "cancelled"),
    ],
)
def test_a_transaction_cancelled_for_anything_but_a_condition_says_nothing_of_the_items(
    vendor, table, reasons, kind, reason
):
    vendor.will(cancelled(*reasons))
    with pytest.raises(TransientError) as caught:
        table.transact([table.putting({"event_id": "0"}), table.putting({"event_id": "1"})])
    assert (type(caught.value), caught.value.reason) == (kind, reason)


def test_a_single_write_that_meets_a_transaction_may_be_tried_at_once(vendor, table):
    kind = "com.amazonaws.dynamodb.v20120810#TransactionConflictException"
    vendor.will(does.answer(400, {"__type": kind}))
    with pytest.raises(TransactionConflict):
        table.update({"event_id": "0"}, set_={"n": 1})


def test_a_refused_transaction_shows_each_items_row_in_order(vendor, table):
    vendor.will(cancelled(NONE, {**FAILED, "Item": key(7)}, FAILED))
    with pytest.raises(TransactionRefused) as refused:
        table.transact([table.putting({"event_id": str(n)}) for n in range(3)])
    assert refused.value.found == (None, {"event_id": "7"}, {})
