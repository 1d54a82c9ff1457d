"""Kills a worker at one of its calls: a `BaseException` out of the client, which nothing of ours catches."""

import boto3
import requests


class Killed(BaseException):
    """The process is gone."""


class Killer:
    """Counts the calls that go out and kills at one of them."""

    def __init__(self):
        self.count, self.at, self.moment = 0, None, "before"

    def arm(self, at, moment):
        self.count, self.at, self.moment = 0, at, moment

    def disarm(self):
        self.at = None

    def before(self, **_):
        self.count += 1
        if (self.count, self.moment) == (self.at, "before"):
            raise Killed

    def after(self, **_):
        if (self.count, self.moment) == (self.at, "after"):
            raise Killed


def at_aws(killer, monkeypatch):
    """Have every AWS call of a new container counted."""
    session = boto3.Session()
    session.events.register("before-send", killer.before)
    session.events.register("response-received", killer.after)
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", session)


def at_vendors(killer, monkeypatch):
    """Have every vendor's request counted: it is killed unsent, or answered and not yet read."""
    send = requests.Session.send

    def sent(session, request, **options):
        killer.before()
        answer = send(session, request, **options)
        killer.after()
        return answer

    monkeypatch.setattr(requests.Session, "send", sent)


def work(system):
    """Run what waits; True when it was killed."""
    try:
        system.run()
    except Killed:
        return True
    return False
