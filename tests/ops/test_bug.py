"""What no command expects ends in one line, and its place is kept in a file."""

import json
import stat
from pathlib import Path

import pytest

from ops import bug


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.delenv("OPS_LOG", raising=False)
    monkeypatch.setattr(bug, "FOLDER", tmp_path / "tracebacks")
    return bug.FOLDER


def failed():
    try:
        return {}["absent"]
    except KeyError as error:
        return error


def test_a_bug_is_one_line_that_names_its_place_and_the_file_with_the_traceback(capsys, folder):
    assert bug.report(failed(), ["doctor"]) == 1
    (kept,) = folder.iterdir()
    printed = capsys.readouterr()
    assert (printed.out, printed.err.count("\n")) == ("", 1)
    assert f"KeyError at {__file__}:" in printed.err
    assert str(kept) in printed.err
    assert "absent" not in printed.err
    assert "KeyError: 'absent'" in kept.read_text()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600


def test_a_bug_is_a_document_with_json(capsys, folder):
    bug.report(failed(), ["doctor", "--json"])
    assert json.loads(capsys.readouterr().out).keys() == {"error"}


def test_the_traceback_is_shown_where_it_is_asked_for(capsys, folder, monkeypatch):
    monkeypatch.setenv("OPS_LOG", "1")
    bug.report(failed(), [])
    assert "Traceback" in capsys.readouterr().err


def test_the_traceback_is_shown_where_no_file_can_be_written(capsys, monkeypatch, tmp_path):
    monkeypatch.delenv("OPS_LOG", raising=False)
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(bug, "FOLDER", Path(tmp_path / "file" / "folder"))
    bug.report(failed(), [])
    assert "Traceback" in capsys.readouterr().err
