"""The sink of OneLake: every batch in one file, once and in order, whatever fails."""

from datetime import UTC, datetime

import pytest

from chalicelib.errors import AuthError, TransientError
from chalicelib.facts.dataset import DIM_AGENT, DIM_SHIFT, FACT_EVENT, fact_row, full_row
from chalicelib.facts.model import Happening
from chalicelib.facts.posting import mirrored_tables
from local.vendors.onelake import DATABASE
from tests.rigs.fact_writer import Crash, CrashingClient, fact

ROWS = [fact_row(fact(number)) for number in range(3)]
KEYS = [row["EventID"] for row in ROWS]


def there(onelake, table=FACT_EVENT):
    return [row["EventID"] for row in onelake.rows(table)]


def unnamed(onelake):
    """Files that were written and never got their final name."""
    of_fabric = ("/_metadata", "/_ProcessedFiles")
    return [p for p in onelake.files() if "/_" in p and not any(name in p for name in of_fabric)]


def put(sink, number, rows=ROWS, table=FACT_EVENT):
    sink.append(table, number, rows, deadline_seconds=20)


def reason(call, *arguments):
    with pytest.raises(TransientError) as failed:
        call(*arguments)
    return failed.value.reason


def test_a_batch_is_a_file_whose_rows_are_as_given(onelake_rig, onelake):
    put(onelake_rig.onelake_sink(), 1)

    assert onelake.stopped() == {}
    shown = [{name: row[name] for name in ROWS[0]} for row in onelake.rows(FACT_EVENT)]
    assert shown == ROWS
    assert f"{FACT_EVENT}/00000000000000000001.csv" in onelake.files()
    assert onelake.stopped() == {}


def test_when_and_how_an_event_was_arrive_in_their_types(onelake_rig, onelake):
    happening = Happening(datetime(2026, 11, 20, 18, 5, tzinfo=UTC), "America/Denver", 70, "call")
    put(onelake_rig.onelake_sink(), 1, [full_row(fact(1, happening=happening))])

    (row,) = onelake.rows(FACT_EVENT)
    assert (row["OccurredAt"], row["DurationSeconds"]) == ("2026-11-20T18:05:00", 70)
    assert (row["TimeZone"], row["Channel"], row["Outcome"]) == ("America/Denver", "call", None)


def test_a_row_of_a_known_key_replaces_it(onelake_rig, onelake):
    put(onelake_rig.onelake_sink(), 1)
    put(onelake_rig.onelake_sink(), 2, [fact_row(fact(1, agent_id="102"))])

    assert [row["AgentID"] for row in onelake.rows(FACT_EVENT)] == ["101", "102", "101"]


def test_a_batch_that_is_known_to_be_published_asks_for_nothing(onelake_rig, onelake):
    put(onelake_rig.onelake_sink(), 1)
    onelake.forget_calls()
    put(onelake_rig.onelake_sink(), 1)

    assert onelake.calls == ()


def test_a_batch_without_rows_is_no_file(onelake_rig, onelake):
    put(onelake_rig.onelake_sink(), 1, [])

    assert "rename" not in onelake.count()


def test_values_that_need_quotes_arrive_as_they_are(onelake_rig, onelake):
    notes = 'event="Call, Disposed";\\;ünï'
    put(onelake_rig.onelake_sink(), 1, [fact_row(fact(1, notes=notes))])

    assert [row["Notes"] for row in onelake.rows(FACT_EVENT)] == [notes]


def test_a_replaced_table_loses_the_rows_that_are_not_given(onelake_rig, onelake):
    def shift(agent):
        return {
            "AgentID": agent,
            "LocalDate": "2026-11-20T00:00:00",
            "ShiftStartLocal": "2026-11-20T08:00:00",
            "ShiftEndLocal": "2026-11-20T16:00:00",
            "ShiftHours": 8,
        }

    sink = onelake_rig.onelake_sink()
    sink.replace(DIM_SHIFT, 1, [shift("101"), shift("102")], deadline_seconds=20)
    sink.replace(DIM_SHIFT, 2, [shift("102"), shift("103")], deadline_seconds=20)
    assert [row["AgentID"] for row in onelake.rows(DIM_SHIFT)] == ["102", "103"]

    sink.replace(DIM_SHIFT, 3, [], deadline_seconds=20)
    assert onelake.rows(DIM_SHIFT) == []


def test_a_dimension_that_is_filled_again_keeps_the_keys_that_are_not_given(onelake_rig, onelake):
    def agent(key):
        return {"AgentID": key, "AgentName": key, "Email": "", "ActiveFlag": True}

    sink = onelake_rig.onelake_sink()
    put(sink, 1, [agent("101"), agent("102")], DIM_AGENT)
    sink.replace(DIM_AGENT, 2, [agent("102"), agent("103")], deadline_seconds=20)
    assert [row["AgentID"] for row in onelake.rows(DIM_AGENT)] == ["101", "102", "103"]


@pytest.mark.parametrize("kind", ["drop", "act_then_drop", "status", "act_then_status"])
@pytest.mark.parametrize("operation", ["look", "create_file", "append", "flush", "rename"])
def test_a_batch_is_there_once_whatever_answer_is_lost(onelake_rig, onelake, operation, kind):
    put(onelake_rig.onelake_sink(), 1)
    onelake.fault(kind, operation=operation, status=503, headers={"Retry-After": "7"})
    more = [fact_row(fact(number)) for number in (8, 9)]
    with pytest.raises(TransientError) as failed:
        put(onelake_rig.onelake_sink(), 2, more)
    assert failed.value.retry_after == (7 if "status" in kind else None)
    put(onelake_rig.onelake_sink(), 2, more)
    put(onelake_rig.onelake_sink(), 3, [fact_row(fact(7))])

    assert there(onelake) == [*KEYS, "ALOWARE:7", "ALOWARE:8", "ALOWARE:9"]
    assert unnamed(onelake) == []
    assert onelake.last_file(FACT_EVENT) == 3
    assert onelake.stopped() == {}


@pytest.mark.parametrize("is_after", [False, True])
def test_a_batch_is_there_once_wherever_its_writer_dies(onelake_rig, onelake, is_after):
    """The writer dies at each call to the facts' table, before or after the call is carried out."""
    for at in range(1, 4):
        client = CrashingClient(onelake_rig.client, at=at, is_after=is_after)
        rows = [fact_row(fact(f"{at}"))]
        try:
            put(onelake_rig.onelake_sink(client), at, rows)
        except Crash:
            put(onelake_rig.onelake_sink(), at, rows)
        assert onelake.last_file(FACT_EVENT) == at
        assert unnamed(onelake) == []
    assert there(onelake) == ["ALOWARE:1", "ALOWARE:2", "ALOWARE:3"]


def test_a_file_of_somebody_else_is_never_deleted(onelake_rig, onelake):
    onelake.put(f"{FACT_EVENT}/_draft.csv", b"x")
    onelake.fault("drop", operation="flush")
    reason(put, onelake_rig.onelake_sink(), 1)
    assert len(unnamed(onelake)) == 2
    put(onelake_rig.onelake_sink(), 1)
    assert unnamed(onelake) == [f"{FACT_EVENT}/_draft.csv"]


def test_a_batch_of_another_content_takes_the_number_of_one_that_is_not_there(onelake_rig, onelake):
    onelake.fault("drop", operation="rename")
    reason(put, onelake_rig.onelake_sink(), 1)
    put(onelake_rig.onelake_sink(), 2, [fact_row(fact(5))])

    assert (there(onelake), onelake.last_file(FACT_EVENT)) == (["ALOWARE:5"], 1)


def test_a_batch_follows_one_that_was_published_without_its_writer_knowing(onelake_rig, onelake):
    onelake.fault("act_then_drop", operation="rename")
    reason(put, onelake_rig.onelake_sink(), 1)
    put(onelake_rig.onelake_sink(), 1, [fact_row(fact(0, agent_id="102"))])

    assert [row["AgentID"] for row in onelake.rows(FACT_EVENT)] == ["102", "101", "101"]
    assert onelake.last_file(FACT_EVENT) == 2


def test_numbers_go_on_behind_files_of_which_nothing_is_noted(onelake_rig, onelake):
    onelake.set_modes(names_per_page=2, is_mirroring=False)
    sink = onelake_rig.onelake_sink()
    for number in (1, 2, 3):
        put(sink, number, [fact_row(fact(number))])
    onelake_rig.forget_assignments()
    put(sink, 4, [fact_row(fact(4))])
    onelake.set_modes(is_mirroring=True)
    put(sink, 5, [fact_row(fact(5))])

    assert (len(there(onelake)), onelake.last_file(FACT_EVENT)) == (5, 5)


def test_a_table_that_is_not_there_is_named(onelake_rig, onelake):
    onelake.drop(FACT_EVENT)
    assert reason(put, onelake_rig.onelake_sink(), 1) == "no_table"


def test_a_folder_that_was_made_again_stops_until_an_operator_has_looked(onelake_rig, onelake):
    put(onelake_rig.onelake_sink(), 1)
    onelake.drop(FACT_EVENT)
    sink = onelake_rig.onelake_sink()
    sink.zone.make_folder(FACT_EVENT, ends=sink.zone.clock.monotonic() + 20)
    metadata = mirrored_tables.metadata(FACT_EVENT)
    onelake.put(f"{FACT_EVENT}/{mirrored_tables.METADATA}", metadata)
    assert reason(put, sink, 2) == "files_lost"
    assert sink.files_trouble(FACT_EVENT, deadline_seconds=20) == "files_lost"

    onelake_rig.make_tables()
    assert sink.files_trouble(FACT_EVENT, deadline_seconds=20) is None
    put(sink, 2)
    assert onelake.last_file(FACT_EVENT) == 1


def test_a_file_of_somebody_else_is_never_overwritten(onelake_rig, onelake):
    put(onelake_rig.onelake_sink(), 1)
    path = f"{FACT_EVENT}/{mirrored_tables.file_name(2)}"
    onelake.put(path, mirrored_tables.file_content(FACT_EVENT, [fact_row(fact("theirs"))]))
    for _ in range(2):
        assert reason(put, onelake_rig.onelake_sink(), 2) == "file_taken"
    assert "ALOWARE:theirs" in there(onelake)


def test_a_file_of_somebody_else_that_is_not_read_yet_is_never_overwritten(onelake_rig, onelake):
    onelake.set_modes(is_mirroring=False)
    put(onelake_rig.onelake_sink(), 1)
    theirs = mirrored_tables.file_content(FACT_EVENT, [fact_row(fact("theirs"))])
    onelake.put(f"{FACT_EVENT}/{mirrored_tables.file_name(2)}", theirs)
    for _ in range(2):
        assert reason(put, onelake_rig.onelake_sink(), 2) == "file_taken"
    onelake.set_modes(is_mirroring=True)
    assert reason(put, onelake_rig.onelake_sink(), 2) == "file_taken"
    assert there(onelake) == [*KEYS, "ALOWARE:theirs"]


def test_a_token_that_has_ended_is_renewed_once(onelake_rig, onelake):
    sink = onelake_rig.onelake_sink()
    put(sink, 1)
    onelake.end_tokens()
    put(sink, 2, [fact_row(fact(8))])

    assert onelake.count()["token"] == 2


def test_an_application_without_permission_is_no_fault_of_the_rows(onelake_rig, onelake):
    onelake.set_modes(allowed=False)
    with pytest.raises(AuthError):
        put(onelake_rig.onelake_sink(), 1)
    onelake.set_modes(allowed=True)
    put(onelake_rig.onelake_sink(), 1)
    assert there(onelake) == KEYS


@pytest.mark.parametrize("mode", ["has_workspace", "has_database"])
def test_a_workspace_or_database_that_is_gone_is_waited_for(onelake_rig, onelake, mode):
    put(onelake_rig.onelake_sink(), 1)
    onelake.set_modes(**{mode: False})
    assert reason(put, onelake_rig.onelake_sink(), 2)
    onelake.set_modes(**{mode: True})
    put(onelake_rig.onelake_sink(), 2, [fact_row(fact(9))])
    assert there(onelake) == [*KEYS, "ALOWARE:9"]


def test_a_table_is_made_once_whatever_answer_is_lost(onelake_rig, onelake):
    for operation in ("list", "create_directory", "create_file", "append", "flush", "rename"):
        onelake.reset()
        onelake.fault("act_then_drop", operation=operation)
        sink = onelake_rig.onelake_sink()
        with pytest.raises(TransientError):
            sink.make_table(FACT_EVENT, deadline_seconds=20)
        sink.make_table(FACT_EVENT, deadline_seconds=20)
        assert sink.make_table(FACT_EVENT, deadline_seconds=20) is False
        put(sink, 1)
        assert there(onelake) == KEYS
        onelake_rig.forget_assignments()


def test_the_target_names_the_database(onelake_rig):
    assert onelake_rig.onelake_sink().target == f"onelake:{DATABASE}"
