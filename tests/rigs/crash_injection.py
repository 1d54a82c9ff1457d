"""Kills a worker at one of its calls, by a `BaseException` that no code of ours catches."""

import itertools
from contextlib import contextmanager

import boto3
import pytest
import requests

from tests.rigs.memory_stage import another_session

WRITES = ("put", "update", "transact", "put_all")


class ProcessKilled(BaseException):
    """The process dies here; nothing catches it."""


class CrashInjector:
    """Counts outgoing calls and kills the worker at one of them.

    Attributes:
        vendor_calls: the last part of each vendor path called, with the number of its first call.
    """

    def __init__(self):
        self.count, self.at, self.moment = 0, None, "before"
        self.vendor_calls = {}

    def arm(self, at, moment):
        self.count, self.at, self.moment = 0, at, moment
        self.vendor_calls = {}

    def disarm(self):
        self.at = None

    def before(self, **_):
        self.count += 1
        if (self.count, self.moment) == (self.at, "before"):
            raise ProcessKilled

    def after(self, **_):
        if (self.count, self.moment) == (self.at, "after"):
            raise ProcessKilled


def count_aws_calls(crash_injector, monkeypatch):
    """Have every AWS call of a new container counted."""
    session = another_session()
    session.events.register("before-send", crash_injector.before)
    session.events.register("response-received", crash_injector.after)
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", session)


def count_vendor_calls(crash_injector, monkeypatch):
    """Have every request to a vendor counted: killed before it is sent, or before its answer is read."""
    send = requests.Session.send

    def sent(session, request, **options):
        crash_injector.vendor_calls.setdefault(
            request.path_url.rpartition("/")[-1], crash_injector.count + 1
        )
        crash_injector.before()
        answer = send(session, request, **options)
        crash_injector.after()
        return answer

    monkeypatch.setattr(requests.Session, "send", sent)


def run_until_killed(system):
    """Process the queue; returns whether the worker was killed."""
    try:
        system.run()
    except ProcessKilled:
        return True
    return False


def kill_at(system, crash_injector, number, moment):
    """Process the queue and kill the worker at that call; False when it ended before."""
    crash_injector.arm(number, moment)
    was_killed = run_until_killed(system)
    crash_injector.disarm()
    return was_killed


def boundaries(first=1):
    """Yield where to die: before the first call, then after each call, without end.

    Every call to AWS or to a vendor is counted, so a death before a call is one after the call before it.
    """
    after = ((number, "after") for number in itertools.count(first))
    return itertools.chain([(first, "before")], after)


@pytest.fixture
def crash_injector(outreach, monkeypatch):
    """Counts every AWS call of outreach's containers, and kills at one of them."""
    found = CrashInjector()
    count_aws_calls(found, monkeypatch)
    outreach.new_container()
    return found


@contextmanager
def killed_at(rig, number, moment):
    """Kill a rig in memory at a write of a table or at the request to Twilio; yields what was counted."""
    counted = {"calls": 0, "depth": 0, "killed": False}

    def counting(call):
        def made(*arguments, **more):
            if counted["depth"]:
                return call(*arguments, **more)  # a part of the write that is counted
            counted["calls"] += 1
            here = counted["calls"] == number
            if here and moment == "before":
                counted["killed"] = True
                raise ProcessKilled
            counted["depth"] += 1
            try:
                return call(*arguments, **more)
            finally:
                counted["depth"] -= 1
                if here:  # whatever the answer was
                    counted["killed"] = True
                    raise ProcessKilled

        return made

    places = [
        (table, name)
        for table in (rig.table, rig.conversations_table, getattr(rig, "audit_table", None))
        if table is not None
        for name in WRITES
    ]
    places.append((rig.texts._twilio, "send"))
    usual = [(place, name, getattr(place, name)) for place, name in places]
    for place, name, call in usual:
        setattr(place, name, counting(call))
    try:
        yield counted
    finally:
        for place, name, call in usual:
            setattr(place, name, call)
