"""Redriving dead letters: each is sent once and deleted, rate-limited; unselected ones are put back."""

from botocore.exceptions import ClientError

from chalicelib.once.job import Recovery, encode
from chalicelib.support.jobs import TicketNotification
from chalicelib.wiring.jobs import decode
from ops.repair import dead_letters
from tests.rigs.ops_session import session


def job(number, recovery=None):
    made = TicketNotification(
        event_key=f"evt:rp:{number}:n",
        conversation_id=str(number),
        received_at="2026-11-20T12:00:00.000Z",
        source="t",
        trace_id="t",
    )
    return made if recovery is None else made.model_copy(update={"recovery": recovery})


class DeadLetterQueue:
    """SQS with one queue of dead letters, as the commands call it."""

    def __init__(self):
        self.waiting, self.put_back, self.deleted = [], [], []
        self.is_over = set()

    def hold(self, bodies):
        self.waiting = [
            {
                "MessageId": f"m-{n}",
                "ReceiptHandle": f"h-{n}",
                "Body": body,
                "Attributes": {"MessageGroupId": "g"},
            }
            for n, body in enumerate(bodies)
        ]

    def get_queue_url(self, *, QueueName):  # noqa: N803 - boto3's name
        return {"QueueUrl": QueueName}

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


class DeadLetterRig:
    """The commands over such a queue, with an empty ledger."""

    def __init__(self, *bodies):
        self.queue = DeadLetterQueue()
        self.session = session(sqs=self.queue)
        self.queue.hold(
            body if isinstance(body, str) else self.sealed(encode(body)) for body in bodies
        )

    def sealed(self, text):
        return self.session.services.seal.sealed(text, queue="rp-mw-events-dev.fifo", group_id="g")

    @property
    def accepted(self):
        """Jobs that were queued: their events, and why they were sent."""
        jobs = [decode(body) for body, _, _ in self.session.services.outbox.messages]
        return [(job.event_key, job.recovery) for job in jobs]

    def redrive(self, **how):
        settings = {"limit": 10, "per_second": 2.0, **how}
        return [did for _, did in dead_letters.redrive(self.session, **settings)]


def test_a_redriven_message_goes_through_the_door_and_leaves_the_dead_letter_queue():
    rig = DeadLetterRig(job(1), job(2, Recovery.HANDOFF))
    assert rig.redrive() == ["redriven", "redriven"]
    assert rig.accepted == [
        ("evt:rp:1:n", Recovery.OPERATOR),
        ("evt:rp:2:n", Recovery.HANDOFF),
    ], "a hand-off stays a hand-off: the event itself is not run again"
    assert (rig.queue.deleted, rig.queue.put_back) == (["h-0", "h-1"], [])


def test_redriving_is_rate_limited():
    rig = DeadLetterRig(*(job(n) for n in range(5)))
    rig.redrive()
    assert rig.session.services.clock.slept == [0.5] * 4


def test_unselected_and_unreadable_letters_are_put_back_at_once():
    rig = DeadLetterRig(job(1), "nonsense", job(2))
    assert rig.redrive(wanted=dead_letters.Wanted("evt:rp:2:n")) == ["redriven"]
    assert (rig.queue.deleted, rig.queue.put_back) == (["h-2"], ["h-0", "h-1"])
    rig = DeadLetterRig(job(1), "nonsense")
    assert rig.redrive() == ["redriven", "left: unsealed"]
    assert (rig.queue.deleted, rig.queue.put_back) == (["h-0"], ["h-1"])


def test_a_letter_of_this_stage_that_no_version_here_can_decode_is_left_as_such():
    rig = DeadLetterRig()
    rig.queue.hold([rig.sealed('{"v": 2, "kind": "ticket_message"}'), rig.sealed('{"v": "x"}')])
    assert rig.redrive() == ["left: undecodable", "left: undecodable"]


def test_a_letter_that_was_moved_from_another_lane_or_group_is_left_as_not_ours():
    services = DeadLetterRig().session.services
    places = {"queue": "rp-mw-facts-dev.fifo", "group_id": "g"}
    moved = services.seal.sealed(encode(job(1)), **places)
    regrouped = services.seal.sealed(encode(job(2)), queue="rp-mw-events-dev.fifo", group_id="h")
    rig = DeadLetterRig(moved, regrouped)
    assert rig.redrive() == ["left: unsealed", "left: unsealed"]
    assert (rig.accepted, rig.queue.deleted) == ([], [])


def test_a_redelivered_letter_does_not_hide_the_others():
    """A slow redrive outlasts the minute for which a letter that is left stays away."""
    rig = DeadLetterRig("nonsense", "more of it", job(1))
    rig.queue.is_over.add("h-0")
    assert rig.redrive() == ["left: unsealed", "left: unsealed", "redriven"]
    assert (rig.queue.deleted, rig.queue.put_back) == (["h-2"], ["h-1"])


def test_a_letter_can_be_selected_by_message_id_and_the_limit_applies():
    rig = DeadLetterRig(*(job(n) for n in range(3)))
    assert rig.redrive(wanted=dead_letters.Wanted("m-1")) == ["redriven"]
    rig = DeadLetterRig(*(job(n) for n in range(3)))
    assert len(rig.redrive(limit=2)) == 2
    assert len(rig.queue.waiting) == 1


def test_letters_to_be_erased_are_deleted_and_the_rest_put_back():
    rig = DeadLetterRig("about jo@example.com", "about nobody")
    assert dead_letters.purge(rig.session, lambda body: "jo@" in body) == 1
    assert (rig.queue.deleted, rig.queue.put_back) == (["h-0"], ["h-1"])
