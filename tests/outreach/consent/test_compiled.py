"""The table's patterns as they are shipped."""

import zlib

import pytest

from chalicelib.outreach.consent import compiled, wordings
from chalicelib.outreach.consent.contact_words import recognise


@pytest.fixture(autouse=True)
def _read_anew():
    wordings.patterns.cache_clear()
    yield
    wordings.patterns.cache_clear()


def test_the_shipped_patterns_are_those_of_the_table():
    """Where it fails, `python -m bench.consent` makes them from the table."""
    if (made := compiled.shipped(wordings.made_from())) is None:
        pytest.fail("wordings.bin is of another table or another Python")
    packed = compiled.packed(wordings.sources(), wordings.made_from())
    assert len(made) == len(wordings.sources())
    assert zlib.decompress(packed) == zlib.decompress(compiled.FILE.read_bytes())


@pytest.mark.parametrize("made_from", ["another table", "no file", "another engine"])
def test_a_file_that_is_not_of_this_table_is_not_used_and_all_is_heard(
    made_from, monkeypatch, tmp_path
):
    if made_from == "another table":
        monkeypatch.setattr(wordings, "made_from", lambda: made_from)
    elif made_from == "no file":
        monkeypatch.setattr(compiled, "FILE", tmp_path / "wordings.bin")
    else:
        file = tmp_path / "wordings.bin"
        changed = compiled.packed(["a"], wordings.made_from())
        monkeypatch.setattr(compiled, "FILE", file)
        file.write_bytes(changed)
        monkeypatch.setattr(compiled._ENGINE, "MAGIC", 1)
    assert compiled.shipped(wordings.made_from()) is None
    assert wordings.patterns().doubt.search("who gave you my number") is not None
    assert recognise("don't text me again").word == "stop"
