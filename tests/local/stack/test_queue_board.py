"""The board says which queue has a message, and nothing of one that is empty or delayed."""

import math
import time

import pytest

from local.stack.queue_board import QueueBoard

URL = "http://127.0.0.1:4566/000000000000/rp-mw-events-dev.fifo"


@pytest.fixture
def file(tmp_path):
    made = tmp_path / "queues"
    QueueBoard.new(made)
    return made


def test_a_new_board_knows_of_no_message(file):
    assert not QueueBoard(file).has_message(URL)


def test_another_process_reads_what_one_has_written(file):
    written, read = QueueBoard(file), QueueBoard(file)
    written.write({URL: time.time() - 1})
    assert read.has_message(URL)
    written.write({URL: math.inf})
    assert not read.has_message(URL)


def test_a_delayed_message_is_none_yet(file):
    board = QueueBoard(file)
    board.write({URL: time.time() + 3600})
    assert not board.has_message(URL)


def test_a_queue_is_the_same_under_any_host_and_account_path(file):
    board = QueueBoard(file)
    board.write({URL: 0.0})
    assert board.has_message(URL.replace("127.0.0.1:4566", "localhost:1"))


def test_queues_that_share_a_slot_hide_no_message(file, monkeypatch):
    monkeypatch.setattr("local.stack.queue_board._SLOTS", 1)
    board = QueueBoard(file)
    board.write({URL: 0.0, "http://other/queue": math.inf})
    assert board.has_message(URL)
