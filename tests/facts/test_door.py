"""The door of Aloware: how long it tries to queue a delivery, and its response on failure."""

import itertools
import json

from chalicelib.errors import UnavailableError
from chalicelib.facts.door import AlowareDoor
from chalicelib.once.intake import Intake
from chalicelib.once.keys import OpaqueIds
from local.vendors import aloware
from tests.rigs.fakes import ManualClock, RecordingLog, RecordingOutbox

TOKEN = "aloware-token"
NOT_KEPT = UnavailableError("enqueue_failed")


class DoorRig:
    """The door, and a queue that fails as often as a test says."""

    def __init__(self, *failures):
        self.clock, self.outbox = ManualClock(), RecordingOutbox()
        self.outbox.fails = list(failures)
        ids = (f"d-{n}" for n in itertools.count(1))
        self._intake = Intake(
            outbox=self.outbox,
            opaque=lambda: OpaqueIds(b"k" * 32),
            clock=self.clock,
            log=RecordingLog(),
            new_id=lambda: next(ids),
        )

    def post(self, *, tokens=lambda: [TOKEN]):
        body = json.dumps(aloware.six_deliveries()[1]).encode()
        headers = {"authorization": f"Bearer {TOKEN}"}
        return AlowareDoor(self._intake, tokens).receive(headers, body).status


def test_a_queue_that_recovers_within_the_request_loses_nothing():
    rig = DoorRig(*[NOT_KEPT] * 3)
    assert rig.post() == 200
    assert len(rig.outbox.messages) == 1
    assert rig.clock.slept == [0.25, 0.5, 1.0]


def test_our_own_failure_is_503_after_bounded_retries():
    rig = DoorRig(*[NOT_KEPT] * 1000)
    assert rig.post() == 503
    assert sum(rig.clock.slept) < 8.0


def test_an_unreadable_secret_is_our_own_failure():
    def unreadable():
        raise UnavailableError("secret_unreadable")

    assert DoorRig().post(tokens=unreadable) == 500


def test_an_unauthenticated_sender_gets_401():
    assert DoorRig().post(tokens=lambda: ["another-token"]) == 401
