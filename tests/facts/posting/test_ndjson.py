"""The archive: a batch is stored once, by day, and can be read again."""

import gzip
import json
from datetime import UTC, datetime

import pytest

from chalicelib.errors import TransientError
from chalicelib.facts.posting.ndjson import FileRows, S3Rows

NUMBER = int(datetime(2026, 11, 20, 12, tzinfo=UTC).timestamp() * 1000)
ROWS = [
    {"EventID": "ALOWARE:1", "FactDateKey": "2026-11-20T00:00:00", "Notes": "é"},
    {"EventID": "ALOWARE:2", "FactDateKey": "2026-11-20T00:00:00"},
    {"EventID": "ALOWARE:3", "FactDateKey": "2026-11-19T00:00:00"},
]


@pytest.fixture
def folder(tmp_path):
    return FileRows(tmp_path)


@pytest.fixture
def bucket(engine_aws):
    client = engine_aws.client("s3")
    name = f"rp-mw-facts-{engine_aws.account}"  # bucket names are global, on the engine too
    client.create_bucket(Bucket=name)
    return S3Rows(client, name)


@pytest.fixture(params=["folder", "bucket"])
def archive(request):
    return request.getfixturevalue(request.param)


def test_facts_are_partitioned_by_their_day(folder):
    folder.append("FactEvent", NUMBER, ROWS, deadline_seconds=5)
    folder.append("DimAgent", NUMBER, [{"AgentID": "101"}], deadline_seconds=5)

    names = {path.relative_to(folder.folder).as_posix() for path in folder.folder.rglob("*.gz")}
    assert names == {
        f"FactEvent/day=2026-11-19/{NUMBER}.ndjson.gz",
        f"FactEvent/day=2026-11-20/{NUMBER}.ndjson.gz",
        f"DimAgent/{NUMBER}.ndjson.gz",
    }
    body = (folder.folder / f"FactEvent/day=2026-11-20/{NUMBER}.ndjson.gz").read_bytes()
    assert [json.loads(line) for line in gzip.decompress(body).splitlines()] == ROWS[:2]


def test_a_repeated_batch_is_in_the_archive_once(archive):
    for _ in range(2):
        archive.append("FactEvent", NUMBER, ROWS, deadline_seconds=5)
    archive.append("DimAgent", NUMBER, [{"AgentID": "101"}], deadline_seconds=5)

    read = sorted(archive.read("FactEvent"), key=lambda row: row["EventID"])
    assert read == ROWS


def test_batches_are_read_oldest_first(archive):
    for number in (NUMBER + 1, NUMBER, NUMBER * 10):
        archive.append("DimAgent", number, [{"AgentID": str(number)}], deadline_seconds=5)

    read = [row["AgentID"] for row in archive.read("DimAgent")]
    assert read == [str(NUMBER), str(NUMBER + 1), str(NUMBER * 10)]


def test_a_missing_bucket_makes_rows_wait(bucket):
    gone = S3Rows(bucket.client, "gone")
    with pytest.raises(TransientError):
        gone.append("FactEvent", NUMBER, ROWS, deadline_seconds=5)
    with pytest.raises(TransientError):
        list(gone.read("FactEvent"))


def test_an_unwritable_folder_makes_rows_wait(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(TransientError):
        FileRows(tmp_path / "file").append("FactEvent", NUMBER, ROWS, deadline_seconds=5)
