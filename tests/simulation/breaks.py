"""Hand-made breaks of the core: what `power` applies, one at a time, while schedules run.

A break replaces a piece of one function's source, or a constant, at run time.  The piece must occur
exactly once: a break that no longer fits the code fails loudly and is rewritten, never skipped.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from typing import Any
from unittest import mock


@dataclass(frozen=True, slots=True)
class Edit:
    """Other pieces of source in one function.

    Attributes:
        where: module and qualified name, as in ``chalicelib.once.effects:Effects._send``.
        pieces: each piece as it is, which occurs once, and what it becomes; the function's source
            is dedented.
    """

    where: str
    pieces: tuple[tuple[str, str], ...]

    def current(self) -> object:
        """The function that is there now."""
        return _found(self.where)[2]

    def applied(self) -> contextlib.AbstractContextManager[Any]:
        """The changed function, while the context is open."""
        owner, name, function = _found(self.where)
        source = textwrap.dedent(inspect.getsource(function))
        for was, now in self.pieces:
            if source.count(was) != 1:
                raise LookupError(f"{self.where} holds this {source.count(was)} times: {was}")
            source = source.replace(was, now)
        defined: dict[str, Any] = {}
        code = compile(source, self.where, "exec")
        exec(code, function.__globals__, defined)  # noqa: S102 - our own source, but for a piece
        return mock.patch.object(owner, name, defined[name])


@dataclass(frozen=True, slots=True)
class Break:
    """One break.

    Attributes:
        name: a short name, for tables and tests.
        what: what is wrong then, in one line.
        edits: all of them are applied together.
        test: the test that notices it, where plain seeds need not.
    """

    name: str
    what: str
    edits: tuple[Edit, ...]
    test: str = ""

    @contextlib.contextmanager
    def applied(self) -> Iterator[None]:
        """The product is broken while the context is open."""
        with contextlib.ExitStack() as stack:
            for edit in self.edits:
                stack.enter_context(edit.applied())
            yield


def _found(where: str) -> tuple[Any, str, Any]:
    """The owner of a name, the name and its value."""
    module, _, path = where.partition(":")
    *above, name = path.split(".")
    owner = reduce(getattr, above, importlib.import_module(module))
    return owner, name, getattr(owner, name)


_EVENTS = "chalicelib.once.ledger.events:Ledger."
_ACTIONS = "chalicelib.once.ledger.actions:ActionLedger."
_EFFECTS = "chalicelib.once.effects:Effects."
_ANYBODY = "(attribute_exists(#event_id) OR {MINE})"
"""A condition that is met for every holder of the row, and still uses the values of the fence."""


def _one(name: str, what: str, where: str, *pieces: tuple[str, str], test: str = "") -> Break:
    """A break of one function."""
    return Break(name, what, (Edit(where, pieces),), test)


def _unfenced(name: str, what: str, where: str, *, state: str, when: str) -> Break:
    """Where one function makes several writes, one of them has no fence."""
    was = f'condition=f"{{MINE}} AND #status = :{state}"'
    now = f'condition=(f"{_ANYBODY}" if {when} else MINE) + " AND #status = :{state}"'
    return _one(
        f"{name} without fence", f"a worker without its lease writes {what}", where, (was, now)
    )


def _event(name: str, field: str) -> Break:
    what = f"the {name} of the event"
    return _unfenced(name, what, f"{_EVENTS}_own", state="processing", when=f'"{field}" in set_')


def _action(name: str, when: str) -> Break:
    what = f"the {name} of an action"
    return _unfenced(name, what, f"{_ACTIONS}_own_action", state="pending", when=when)


BREAKS: tuple[Break, ...] = (
    _event("plan", "plan"),
    _event("release", "released"),
    _event("end", "status"),
    _action("reset", "ended is None"),
    _action("outcome", "ended is not None"),
    _one(
        "shared outcome without fence",
        "a worker without its lease writes the outcome of a step of several actions",
        f"{_ACTIONS}end_actions",
        ('"owner": lease.owner,', ""),
        ('"fence": lease.fence,', ""),
    ),
    _one(
        "bound outcome without fence",
        "a worker without its lease writes an outcome together with the provider's id",
        f"{_ACTIONS}_end_with_ref",
        (
            'condition=f"{MINE} AND #status = :pending"',
            f'condition=f"{_ANYBODY} AND #status = :pending"',
        ),
        test="tests/once/ledger/whole/test_settling.py"
        "::test_a_worker_that_lost_an_action_still_binds_its_provider_id",
    ),
    _one(
        "takeover without fence",
        "an action is taken over by a lower fence, or by two claims at once",
        f"{_ACTIONS}_take",
        ('row["fence"] > lease.fence', "False"),
        (
            '"#owner = :was_owner AND #fence = :was_fence AND #status = :was_status"',
            (
                '"(attribute_exists(#event_id) OR #owner = :was_owner OR #fence = :was_fence)'
                ' AND #status = :was_status"'
            ),
        ),
    ),
    _one(
        "skip without fence",
        "a worker without its lease skips an action that another holds",
        f"{_ACTIONS}skip",
        ("(#event_key <> :event OR", "(attribute_exists(#event_id) OR #event_key <> :event OR"),
    ),
    _one(
        "begin without the event",
        "an action that no plan names begins, and an ended one begins again, without the lease",
        f"{_ACTIONS}_write_held",
        ("self._table.transact([held, write])", "self._table.transact([write])"),
        ("not_held, there = refused.found", "not_held, there = None, refused.found[0]"),
        test="tests/once/ledger/whole/test_races.py"
        "::test_an_unplanned_action_begins_only_while_its_event_is_held",
    ),
    _one(
        "lease taken early",
        "an event is claimed although its lease has not ended",
        f"{_EVENTS}claim",
        (
            "(#status = :processing AND #lease_until < :now)",
            "(#status = :processing AND (attribute_exists(#event_id) OR #lease_until < :now))",
        ),
    ),
    _one(
        "last look skipped",
        "lease and switches are not looked at again right before the request leaves",
        f"{_EFFECTS}_send",
        ("self._check_before_call(attempt, actions, executor)", "pass"),
    ),
    _one(
        "a wait without a date",
        "an event that is set aside has no date in its row",
        "chalicelib.once.aside:SettingAside.put",
        (
            "reason=wait.reason, due_epoch=due_epoch, until_epoch=until, turns=turns\n        )\n    elif",
            "reason=wait.reason, due_epoch=None, until_epoch=until, turns=turns\n        )\n    elif",
        ),
    ),
    _one(
        "ended before it is audited",
        "the end of an event is written before the audit of its actions",
        "chalicelib.once.plan_run:PlanRun._finish",
        (
            "self.audit.write(audit_rows(built, rows))",
            "self.ledger.finish(lease, status, reason=reason, waits_for=waits_for, at_vendor=at)",
        ),
        (
            (
                "mw_trace_id=event.facts.trace_id)\n"
                "    self.ledger.finish(lease, status, reason=reason, waits_for=waits_for, at_vendor=at)"
            ),
            "mw_trace_id=event.facts.trace_id)\n    self.audit.write(audit_rows(built, rows))",
        ),
    ),
    _one(
        "second look skipped",
        "one query that shows nothing proves that nothing happened",
        "chalicelib.once.settlement:Settlement._judge_absence",
        ("action.looks == 0 or now - action.looked_epoch < SECOND_CHECK_SECONDS", "False"),
    ),
    _one(
        "horizon shortened",
        "a request counts as one that cannot land any more as soon as its lease ends",
        f"{_ACTIONS}_holding",
        ("until + int(LANDING_SECONDS)", "until"),
    ),
    _one(
        "nonce forgotten",
        "a recovery send has the deduplication id of the first message",
        "chalicelib.once.intake:Intake.accept",
        ("nonce = self.new_id()", 'nonce = ""'),
    ),
    _one(
        "throttle taken for duplicate",
        "a claim that the table did not answer is acknowledged as a copy of a finished event",
        f"{_EVENTS}claim",
        (
            "except ConditionFailed as found:",
            (
                "except Exception as found:\n"
                "        if not isinstance(found, ConditionFailed):\n"
                "            return Finished(EventStatus.PROCESSED)"
            ),
        ),
    ),
    _one(
        "statement's error taken for success",
        "a statement of a batch that failed alone counts as executed",
        "chalicelib.aws.dynamo:Table._batch",
        ("if code not in (None, refused):", "if False:"),
        ("taken.append(code is None)", "taken.append(code != refused)"),
    ),
    _one(
        "unreadable answer taken for transient",
        "a 2xx whose body cannot be read counts as a request that was surely not done",
        "chalicelib.vendors.http_answers:VendorAnswer.failure",
        (
            "return unclear if self.reason else None",
            "return TransientError if self.reason else None",
        ),
    ),
    _one(
        "STOP marked after",
        "a STOP is answered before it forbids sending",
        "chalicelib.outreach.twilio.door:TwilioDoor._heard",
        ("self.consent().apply(job) if says_something else job", "job"),
        test="tests/outreach/twilio/test_consent.py::test_the_mark_is_written_before_the_answer",
    ),
    _one(
        "read-back without upper bound",
        "a message sent after an action's last possible moment counts as that action's",
        "chalicelib.outreach.twilio.client:Twilio.list_sent",
        ("created is None or created <= skew.latest(until)", "True"),
        test="tests/outreach/whole/test_texts_settled.py"
        "::test_a_message_within_the_possible_landing_time_is_a_candidate",
    ),
)
"""All of them."""
