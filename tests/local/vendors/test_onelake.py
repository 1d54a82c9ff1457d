"""The simulated OneLake: its paths answer as the real ones, and a broken rule stops a table."""

import json

import pytest
import requests

from local.vendors.onelake import CLIENT_ID, CLIENT_SECRET, DATABASE, SCOPE, WORKSPACE

METADATA = {
    "keyColumns": ["ID"],
    "SchemaDefinition": {
        "Columns": [
            {"Name": "ID", "DataType": "String"},
            {"Name": "Count", "DataType": "Int64"},
            {"Name": "At", "DataType": "DateTime"},
            {"Name": "IsOpen", "DataType": "Boolean"},
        ]
    },
    "FileFormat": "CSV",
    "FileExtension": "csv",
    "FileFormatTypeProperties": {"FirstRowAsHeader": True},
}
HEADER = "ID,Count,At,IsOpen,__rowMarker__"
ONE = "a,1,2026-11-20 08:00:00,true,4"


class Zone:
    """A publisher that knows the API and none of the rules."""

    def __init__(self, vendor, scope=SCOPE):
        self.vendor = vendor
        form = {
            "grant_type": "client_credentials",
            "client_id": CLIENT_ID,
            "client_secret": CLIENT_SECRET,
            "scope": scope,
        }
        self.token = requests.post(vendor.token_url, data=form, timeout=60)

    def ask(self, method, path, body=b"", headers=(), **query):
        token = self.token.json().get("access_token", "")
        return requests.request(
            method,
            f"{self.vendor.url}/{WORKSPACE}/{DATABASE}/Files/LandingZone/{path}",
            params=query,
            data=body,
            headers={
                "authorization": f"Bearer {token}",
                "x-ms-version": "2023-11-03",
                **dict(headers),
            },
            timeout=60,
        )

    def put(self, path, text):
        """Write a file under its own name, step by step."""
        self.ask("PUT", path, resource="file")
        self.ask("PATCH", path, text.encode(), action="append", position="0")
        self.ask("PATCH", path, action="flush", position=str(len(text.encode())))

    def publish(self, number, *lines, table="T"):
        self.put(f"{table}/_draft", "\r\n".join((HEADER, *lines, "")))
        return self.rename(f"{table}/_draft", f"{table}/{number:020d}.csv")

    def rename(self, source, path, **headers):
        there = f"/{WORKSPACE}/{DATABASE}/Files/LandingZone/{source}"
        return self.ask("PUT", path, headers={"x-ms-rename-source": there, **headers})


@pytest.fixture
def zone(onelake):
    made = Zone(onelake)
    onelake.put("T/_metadata.json", json.dumps(METADATA).encode())
    return made


def test_files_are_applied_in_order_and_a_missing_number_is_waited_for(zone, onelake):
    zone.publish(1, ONE, "b,2,,false,4")
    zone.publish(3, "a,,,,2")
    assert [row["ID"] for row in onelake.rows("T")] == ["a", "b"]
    zone.publish(2, "c,3,,,0")
    assert [row["ID"] for row in onelake.rows("T")] == ["b", "c"]
    assert onelake.rows("T")[0] == {"ID": "b", "Count": 2, "At": None, "IsOpen": False}
    assert set(onelake.files()) == {
        "T/_metadata.json",
        "T/00000000000000000003.csv",
        *(f"T/_ProcessedFiles/{number:020d}.csv" for number in (1, 2)),
    }


@pytest.mark.parametrize(
    "line",
    [
        "a,one,,,4",
        "a,1,2026-11-20T08:00:00,,4",
        "a,1,,yes,4",
        ",1,,,4",
        "a,1,,,9",
        "a,1,,4",
    ],
)
def test_a_value_of_another_type_stops_the_table(zone, onelake, line):
    zone.publish(1, line)
    assert set(onelake.stopped()) == {"T"}


def test_a_file_without_a_row_stops_the_table(zone, onelake):
    zone.publish(1)
    assert "T" in onelake.stopped()


def test_a_file_that_is_written_under_its_final_name_stops_the_table(zone, onelake):
    zone.put("T/00000000000000000001.csv", f"{HEADER}\r\n{ONE}\r\n")
    assert "empty or partial" in onelake.stopped()["T"]


def test_a_published_file_that_is_written_again_stops_the_table(zone, onelake):
    zone.publish(1, ONE)
    zone.publish(1, "b,1,,,4")
    assert "published twice or was changed" in onelake.stopped()["T"]


@pytest.mark.parametrize("name", ["1.csv", "00000000000000000001.tsv", "facts.csv"])
def test_another_name_stops_the_table(zone, onelake, name):
    onelake.put(f"T/{name}", b"x")
    assert "T" in onelake.stopped()


@pytest.mark.parametrize("change", [{"keyColumns": ["Count"]}, {"keyColumns": []}])
def test_key_columns_cannot_change(zone, onelake, change):
    zone.publish(1, ONE)
    onelake.put("T/_metadata.json", json.dumps(METADATA | change).encode())
    assert "T" in onelake.stopped()


def test_a_column_that_the_schema_does_not_name_stops_the_table(zone, onelake):
    onelake.put("T/00000000000000000001.csv", b"ID,Other,__rowMarker__\r\na,b,4\r\n")
    assert "T" in onelake.stopped()


def test_a_table_is_dropped_with_its_folder_and_begins_with_its_first_file_again(zone, onelake):
    zone.publish(1, ONE)
    onelake.drop("T")
    assert onelake.rows("T") == []
    onelake.put("T/_metadata.json", json.dumps(METADATA).encode())
    zone.publish(1, "b,1,,,4")
    assert [row["ID"] for row in onelake.rows("T")] == ["b"]


def test_data_is_appended_at_its_place_and_flushed_at_its_length(zone):
    zone.ask("PUT", "T/_x", resource="file")
    assert zone.ask("PATCH", "T/_x", b"ab", action="append", position="1").status_code == 400
    assert zone.ask("PATCH", "T/_x", b"ab", action="append", position="0").status_code == 202
    assert zone.ask("GET", "T/_x").text == ""
    assert zone.ask("PATCH", "T/_x", action="flush", position="1").status_code == 400
    assert zone.ask("PATCH", "T/_x", action="flush", position="2").status_code == 200
    assert zone.ask("GET", "T/_x").text == "ab"
    assert zone.ask("PATCH", "T/_y", b"ab", action="append", position="0").status_code == 404


def test_a_rename_overwrites_unless_it_is_forbidden(zone):
    zone.put("T/_x", "first")
    zone.put("T/_y", "second")
    taken = zone.rename("T/_y", "T/_x", **{"if-none-match": "*"})
    assert (taken.status_code, taken.json()["error"]["code"]) == (409, "PathAlreadyExists")
    assert zone.rename("T/_y", "T/_x").status_code == 201
    assert zone.ask("GET", "T/_x").text == "second"
    assert zone.rename("T/_y", "T/_z").json()["error"]["code"] == "SourcePathNotFound"
    missing = zone.rename("T/_x", "U/_x").json()["error"]["code"]
    assert missing == "RenameDestinationParentPathNotFound"


def test_a_token_is_for_storage_and_ends(zone, onelake):
    assert Zone(onelake, scope="https://api.fabric.microsoft.com/.default").token.status_code == 400
    onelake.end_tokens()
    assert zone.ask("GET", "T/_metadata.json").status_code == 401


def test_nothing_beside_the_landing_zone_can_be_made(zone, onelake):
    assert zone.ask("PUT", "../Tables/T", resource="file").status_code in (403, 404)
    assert zone.ask("HEAD", "").status_code == 200
    assert zone.ask("HEAD", "U").status_code == 404


def test_it_is_driven_from_another_process(zone, onelake):
    zone.publish(1, ONE)
    found = requests.get(f"{onelake.url}/_sim/tables", timeout=60).json()["tables"]
    assert found == [{"name": "T", "rows": 1, "read": 1, "stopped": ""}]
    rows = requests.get(f"{onelake.url}/_sim/tables/T/rows", timeout=60).json()["rows"]
    assert [row["ID"] for row in rows] == ["a"]
    requests.delete(f"{onelake.url}/_sim/tables/T", timeout=60)
    assert requests.get(f"{onelake.url}/_sim/files", timeout=60).json()["files"] == {}
