"""What only an engine can show: clients that write one row at the same moment, and a table that is away."""

import itertools
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from chalicelib.aws.dynamo import Table
from chalicelib.errors import TransientError
from chalicelib.once.allowances import Allowances, Limit
from chalicelib.once.event import Busy, Lease
from chalicelib.once.ledger.events import Ledger
from tests.rigs.fakes import ManualClock
from tests.rigs.ledger import MODES, facts


def claim(table, owner):
    ledger = Ledger(table=table, clock=ManualClock(), new_owner=lambda: owner)
    return ledger.claim(facts(), MODES, lease_seconds=250, takeover=frozenset())


def test_sixteen_claims_at_once_have_one_winner(ddb):
    """F02: two requests in the same millisecond."""
    results = []
    owners = itertools.count()

    def run():
        table = Table(ddb.aws.client("dynamodb"), ddb.ledger_table)
        results.append(claim(table, f"o{next(owners)}"))

    threads = [threading.Thread(target=run) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(isinstance(result, Lease) for result in results) == 1
    assert sum(isinstance(result, Busy) for result in results) == 15


def test_only_a_failed_condition_is_a_duplicate(ddb):
    """F24: a table that cannot be reached says nothing about the event."""
    with pytest.raises(TransientError):
        claim(Table(ddb.client, "no_such_table"), "o")


def test_concurrent_requests_never_exceed_an_allowance(ddb):
    allowances = Allowances(table=Table(ddb.client, ddb.ledger_table), clock=ManualClock())
    limit = Limit("hourly", 3, timedelta(hours=1))

    def ask(number):
        try:
            return allowances.take("auto_reply:test", "opaque", f"a{number}", (limit,))
        except TransientError:
            return "contended"

    with ThreadPoolExecutor(8) as pool:
        given = list(pool.map(ask, range(16)))
    assert 1 <= given.count(None) <= 3
