"""Rows as lines: a batch is one object, and the same batch again is the same object."""

import json
from datetime import UTC, datetime

import pytest

from chalicelib.errors import TransientError
from chalicelib.facts.posting.ndjson import FileRows, S3Rows, SeveralSinks, name_of

NUMBER = int(datetime(2026, 11, 20, 12, tzinfo=UTC).timestamp() * 1000)
ROWS = [{"EventID": "ALOWARE:1", "Notes": "é"}, {"EventID": "ALOWARE:2"}]


@pytest.fixture
def files(tmp_path):
    return FileRows(tmp_path)


@pytest.fixture
def bucket(aws):
    client = aws.client("s3")
    name = f"rp-mw-facts-{aws.account}"  # bucket names are global, on the engine too
    client.create_bucket(Bucket=name)
    return S3Rows(client, name)


def test_a_batch_is_named_by_table_day_and_number():
    assert name_of("FactEvent", NUMBER) == f"FactEvent/2026/11/20/{NUMBER}.ndjson"


def test_a_repeated_batch_is_in_the_bucket_once(bucket):
    for _ in range(2):
        bucket.append("FactEvent", NUMBER, ROWS, deadline_seconds=5)

    (listed,) = bucket.client.list_objects_v2(Bucket=bucket.bucket)["Contents"]
    body = bucket.client.get_object(Bucket=bucket.bucket, Key=listed["Key"])["Body"].read()
    assert [json.loads(line) for line in body.decode().splitlines()] == ROWS


def test_a_missing_bucket_makes_rows_wait(bucket):
    with pytest.raises(TransientError):
        S3Rows(bucket.client, "gone").append("FactEvent", NUMBER, ROWS, deadline_seconds=5)


def test_a_repeated_batch_is_in_the_folder_once(files):
    for _ in range(2):
        files.append("FactEvent", NUMBER, ROWS, deadline_seconds=5)
    files.append("DimAgent", NUMBER, [{"AgentID": "101"}], deadline_seconds=5)

    assert list(files.read("FactEvent")) == ROWS
    assert not list(files.folder.rglob("*.part"))


def test_an_unwritable_folder_makes_rows_wait(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(TransientError):
        FileRows(tmp_path / "file").append("FactEvent", NUMBER, ROWS, deadline_seconds=5)


def test_a_batch_is_archived_before_it_is_posted(files, tmp_path):
    (tmp_path / "file").write_text("")
    broken = FileRows(tmp_path / "file")
    several = SeveralSinks((files, broken))

    with pytest.raises(TransientError):
        several.append("FactEvent", NUMBER, ROWS, deadline_seconds=5)
    assert list(files.read("FactEvent")) == ROWS
    assert several.target == broken.target
