"""The archive: a batch is stored once, by day, and can be read again."""

import gzip
import json
from datetime import UTC, datetime
from io import BytesIO

import pytest

from chalicelib.errors import TransientError
from chalicelib.facts.posting.ndjson import FileRows, S3Rows
from chalicelib.facts.posting.parts import moved_row
from tests.rigs.fact_writer import fact

NUMBER = int(datetime(2026, 11, 20, 12, tzinfo=UTC).timestamp() * 1000)
LATER = 2e10
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


def test_the_newest_row_of_a_key_is_read(archive):
    for number in (NUMBER + 1, NUMBER * 10, NUMBER):
        rows = [{"AgentID": "101", "AgentName": str(number)}]
        archive.append("DimAgent", number, rows, deadline_seconds=5)

    assert [row["AgentName"] for row in archive.read("DimAgent")] == [str(NUMBER * 10)]


def test_a_fact_that_has_moved_is_read_on_its_new_day_alone(archive):
    archive.append("FactEvent", NUMBER, ROWS[:1], deadline_seconds=5)
    now = {**ROWS[0], "FactDateKey": "2026-11-19T00:00:00"}
    left = moved_row(fact(1, date="2026-11-19"), "2026-11-20")
    archive.append("FactEvent", NUMBER + 1, [now, left], deadline_seconds=5)

    assert list(archive.read("FactEvent")) == [now]
    assert list(archive.read("FactEvent", ["2026-11-20"])) == []


def test_compaction_makes_one_part_of_a_day_and_deletes_the_others_later(archive):
    for number, row in enumerate(ROWS[:2], NUMBER):
        archive.append("FactEvent", number, [row], deadline_seconds=5)
    days = "FactEvent/day=2026-11-20/"
    whole = f"{days}whole-{NUMBER + 1}.ndjson.gz"

    assert [archive.compact(partition, before=0) for partition in archive.partitions()] == [True]
    assert len(list(archive.list_objects(days))) == 3, (
        "a reader may be reading what it listed before"
    )
    assert [archive.compact(partition, before=LATER) for partition in archive.partitions()] == [
        False
    ]
    assert [name for name, _ in archive.list_objects(days)] == [whole]
    assert sorted(archive.read("FactEvent"), key=lambda row: row["EventID"]) == ROWS[:2]


def test_a_partition_of_one_part_is_left_as_it_is(archive):
    archive.append("FactEvent", NUMBER, ROWS[:2], deadline_seconds=5)
    assert [archive.compact(partition, before=LATER) for partition in archive.partitions()] == [
        False
    ]
    assert [row["EventID"] for row in archive.read("FactEvent")] == ["ALOWARE:1", "ALOWARE:2"]


def test_a_table_that_is_replaced_whole_is_its_newest_part(archive):
    shifts = [{"AgentID": "101", "LocalDate": f"2026-11-2{number}T00:00:00"} for number in range(2)]
    archive.replace("DimShift", NUMBER, shifts, deadline_seconds=5)
    archive.replace("DimShift", NUMBER + 1, shifts[1:], deadline_seconds=5)
    for _ in range(2):
        assert list(archive.read("DimShift")) == shifts[1:]
        for partition in archive.partitions():
            archive.compact(partition, before=LATER)


def test_a_damaged_part_is_said_and_replaces_nothing(archive):
    archive.append("FactEvent", NUMBER, ROWS[:2], deadline_seconds=5)
    archive.put(f"FactEvent/day=2026-11-20/{NUMBER + 1}.ndjson.gz", BytesIO(b"no gzip"))
    (day,) = archive.partitions()
    with pytest.raises(TransientError):
        archive.compact(day, before=LATER)
    with pytest.raises(TransientError):
        list(archive.read("FactEvent"))
    assert len(list(archive.list_objects("FactEvent/"))) == 2


def test_what_the_company_keeps_beside_the_archive_is_no_part_of_it(archive):
    archive.put("shifts.csv", BytesIO(b"AgentID"))
    assert archive.read_file("shifts.csv") == b"AgentID"
    assert archive.read_file("none.csv") is None
    assert archive.partitions() == []


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
