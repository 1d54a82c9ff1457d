"""Dead letters by hand: each is sent once and gone, at a pace, and what is not meant is put back."""

from types import SimpleNamespace

from botocore.exceptions import ClientError

from chalicelib.once.job import Recovery, encode
from chalicelib.support.jobs import TicketNotification
from ops.repair import dead_letters
from tests.rigs.fakes import ManualClock


def job(number, recovery=None):
    made = TicketNotification(
        event_key=f"evt:rp:{number}:n",
        conversation_id=str(number),
        received_at="2026-11-20T12:00:00.000Z",
        source="t",
        trace_id="t",
    )
    return made if recovery is None else made.model_copy(update={"recovery": recovery})


class Stage:
    """A stage as the commands see it: a dead-letter queue, the door in, a table without rows."""

    stage = "dev"

    def __init__(self, *bodies):
        self.waiting = [
            {"MessageId": f"m-{n}", "ReceiptHandle": f"h-{n}", "Body": body}
            for n, body in enumerate(bodies)
        ]
        self.accepted, self.put_back, self.deleted = [], [], []
        self.is_over = set()
        self.clock = ManualClock()
        accept = SimpleNamespace(
            accept=lambda one, recovery: self.accepted.append((one.event_key, recovery))
        )
        self.services = SimpleNamespace(clock=self.clock, intake=accept)
        self.ledger_table = SimpleNamespace(get=lambda _key: None)

    def queue_url(self, name):
        return name

    def client(self, _service):
        return self

    def receive_message(self, **asked):
        count = asked["MaxNumberOfMessages"]
        taken, self.waiting = self.waiting[:count], self.waiting[count:]
        return {"Messages": taken}

    def delete_message(self, **named):
        self.deleted.append(named["ReceiptHandle"])

    def change_message_visibility(self, **named):
        assert named["VisibilityTimeout"] == 0
        if named["ReceiptHandle"] in self.is_over:
            error = {"Error": {"Code": "AWS.SimpleQueueService.MessageNotInflight"}}
            raise ClientError(error, "ChangeMessageVisibility")
        self.put_back.append(named["ReceiptHandle"])

    def redrive(self, **how):
        settings = {"limit": 10, "per_second": 2.0, **how}
        return [did for _, did in dead_letters.redrive(self, **settings)]


def test_what_is_redriven_goes_through_the_door_and_leaves_the_queue_of_the_dead():
    stage = Stage(encode(job(1)), encode(job(2, Recovery.HANDOFF)))
    assert stage.redrive() == ["redriven", "redriven"]
    assert stage.accepted == [
        ("evt:rp:1:n", Recovery.OPERATOR),
        ("evt:rp:2:n", Recovery.HANDOFF),
    ], "a hand-off stays a hand-off: the event itself is not run again"
    assert (stage.deleted, stage.put_back) == (["h-0", "h-1"], [])


def test_redriving_keeps_its_pace():
    stage = Stage(*(encode(job(n)) for n in range(5)))
    stage.redrive()
    assert stage.clock.slept == [0.5] * 4


def test_what_is_not_meant_or_not_understood_is_put_back_at_once():
    stage = Stage(encode(job(1)), "nonsense", encode(job(2)))
    assert stage.redrive(only="evt:rp:2:n") == ["redriven"]
    assert (stage.deleted, stage.put_back) == (["h-2"], ["h-0", "h-1"])
    stage = Stage(encode(job(1)), "nonsense")
    assert stage.redrive() == ["redriven", "left: undecodable"]
    assert (stage.deleted, stage.put_back) == (["h-0"], ["h-1"])


def test_one_that_came_back_by_itself_keeps_no_other_away():
    """A slow redrive outlasts the minute for which a letter that is left stays away."""
    stage = Stage("nonsense", "more of it", encode(job(1)))
    stage.is_over.add("h-0")
    assert stage.redrive() == ["left: undecodable", "left: undecodable", "redriven"]
    assert (stage.deleted, stage.put_back) == (["h-2"], ["h-1"])


def test_a_message_id_names_a_letter_too_and_the_limit_is_kept():
    stage = Stage(*(encode(job(n)) for n in range(3)))
    assert stage.redrive(only="m-1") == ["redriven"]
    stage = Stage(*(encode(job(n)) for n in range(3)))
    assert len(stage.redrive(limit=2)) == 2
    assert len(stage.waiting) == 1


def test_what_must_be_forgotten_is_deleted_and_the_rest_put_back():
    stage = Stage("about jo@example.com", "about nobody")
    assert dead_letters.purge(stage, lambda body: "jo@" in body) == 1
    assert (stage.deleted, stage.put_back) == (["h-0"], ["h-1"])
