"""The stops of `docs/tour.md` are real calls, in their real order."""

import re
import sys
import threading
from pathlib import Path

import pytest

from tests.rigs.memory_stage import memory_or_engine

ROOT = Path(__file__).resolve().parents[2]
STOP = re.compile(r"^\| `([^`]+\.py)` \| `([^`]+)` \|", re.MULTILINE)
WALKS = [
    STOP.findall(section) for section in (ROOT / "docs/tour.md").read_text().split("\n## ")[1:4]
]


@pytest.fixture
def aws(request):
    return memory_or_engine(request)


def calls(act):
    """Every call of the product's functions while `act` runs: (file, qualified name), in order."""
    seen = []

    def note(frame, event, _):
        code = frame.f_code
        path = Path(code.co_filename)
        if event == "call" and path.is_relative_to(ROOT):
            seen.append((path.relative_to(ROOT).as_posix(), code.co_qualname))

    before = sys.getprofile()
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        act()
    finally:
        sys.setprofile(before)
        threading.setprofile(None)
    return seen


def first_not_reached(stops, seen):
    """The first stop that is not called after the stop before it; None where all are."""
    left = iter(seen)
    return next((stop for stop in stops if stop not in left), None)


def test_a_stop_that_is_not_called_in_its_place_is_found():
    assert first_not_reached([("a.py", "f"), ("b.py", "g")], [("b.py", "g"), ("a.py", "f")])


def test_a_ticket_that_is_routed_passes_the_stops_of_the_first_walk(system):
    body = system.ticket()
    seen = calls(lambda: (system.post(body), system.run()))
    assert len(WALKS[0]) > 20
    assert first_not_reached(WALKS[0], seen) is None


def test_a_start_passes_the_stops_of_the_second_walk(outreach):
    seen = calls(lambda: (outreach.start(channel="sms"), outreach.run()))
    assert len(WALKS[1]) > 10
    assert first_not_reached(WALKS[1], seen) is None


def test_a_lost_answer_passes_the_stops_of_the_third_walk(outreach):
    outreach.twilio.fault("act_then_drop", operation="create_message")

    def act():
        outreach.start(channel="sms")
        outreach.run()
        for post in outreach.twilio.callbacks():
            outreach.deliver(post)
        outreach.run()

    assert len(WALKS[2]) > 8
    assert first_not_reached(WALKS[2], calls(act)) is None
