"""A wrong line is named by its number and its field, and its value is never shown."""

import json

import pytest

from ops.session import OpsError
from ops.support.decide_lines import read
from tests.ops.support.test_decide import line

SECRET = "secret-5550100"


def changed(*path, value):
    given = line("Hello", ("agent", "Hi"))
    at = given
    for part in path[:-1]:
        at = at[part]
    at[path[-1]] = value
    return json.dumps(given)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f'{{"id": "{SECRET}', "it is not JSON"),
        (json.dumps([SECRET]), "it is not an object"),
        (changed("now", value=SECRET), "field now"),
        (changed("now", value="2026-11-24T10:00:00"), "field now"),
        (changed("now", value="9999-12-31T23:59:59-14:00"), "field now"),
        (
            changed("orders", 0, "created_at", value="0001-01-01T00:00:00Z"),
            "field orders[0].created_at",
        ),
        (changed("ticket", "tags", value=[1]), "field ticket.tags[0]"),
        (changed("messages", 1, "from", value=SECRET), "field messages[1].from"),
        (changed("orders", 0, "created_at", value=SECRET), "field orders[0].created_at"),
        (changed("orders", 0, "holds", value=[[SECRET]]), "field orders[0].holds[0]"),
        (changed("ticket", "priority", value=SECRET), "field ticket.priority is not known"),
        (json.dumps({"id": SECRET}), "field now is missing"),
    ],
)
def test_a_wrong_line_is_refused_by_its_place(tmp_path, text, said):
    file = tmp_path / "lines"
    file.write_text(f"\n{json.dumps(line('Hello'))}\n{text}\n")
    with pytest.raises(OpsError) as refused:
        list(read(file))
    assert str(refused.value) == f"line 3: {said}"
    assert refused.value.code == 2


def test_a_file_that_is_no_text_is_refused(tmp_path):
    file = tmp_path / "lines"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(OpsError, match="cannot be read"):
        list(read(file))
