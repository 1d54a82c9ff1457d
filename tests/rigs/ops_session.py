"""A session of the operator's command line over the test's own clock, queue, tables and SQS."""

from functools import cached_property

from chalicelib import settings
from chalicelib.once.keyring import KeyPurpose
from ops.identity import Identity
from ops.session import OperatorServices, Session
from ops.stage import config, rotation
from tests.rigs.fakes import ManualClock, RecordingOutbox
from tests.rigs.keys import keyring
from tests.simulation import tables


class OfflineServices(OperatorServices):
    """The services of stage dev without AWS.

    Args:
        clients: AWS clients by service.
    """

    def __init__(self, **clients):
        variables = {**config.configured("dev"), "STAGE": "dev"}
        super().__init__(settings.load(variables), ManualClock())
        self._clients = clients
        names = self.settings
        self._tables = {
            names.idempotency_table: tables.ledger(),
            names.state_table: tables.state(),
            names.audit_table: tables.audit(),
            names.conversations_table: tables.conversations(),
            names.company_data_table: tables.companies(),
        }
        self._facts = tables.facts()
        for name, table in self._tables.items():
            table.name = name

    @cached_property
    def outbox(self):
        return RecordingOutbox()

    @cached_property
    def keyring(self):
        now = self.clock.now()
        return keyring(self.clock, {purpose: rotation.first(now) for purpose in KeyPurpose})

    def table_at(self, *_, **__):
        return self._facts

    def table(self, name):
        return self._tables[name]

    def client(self, service, *_):
        return self._clients[service]


def session(**clients):
    made = Session("dev")
    made.__dict__["services"] = OfflineServices(**clients)
    made.__dict__["identity"] = Identity("123456789012", "arn:aws:iam::123456789012:user/jo")
    return made
