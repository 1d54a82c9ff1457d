"""The console over the desk's rig: real conversations in memory, and browsers of several people."""

from types import SimpleNamespace

import pytest

from chalicelib.outreach.people.team_rows import TeamRows
from chalicelib.outreach.project.companies import Companies
from console.rights import Person, Role
from console.team import desk_roles
from tests.rigs import console as rig
from tests.rigs.desk import OTHERS, OURS
from tests.rigs.ops_session import session as offline_session

PEOPLE = {
    "sam": Person("sam@example.com", frozenset({Role.AGENT}), frozenset({OURS})),
    "kim": Person("kim@example.com", frozenset({Role.AGENT}), frozenset({OURS})),
    "lea": Person("lea@example.com", frozenset({Role.LEAD}), *[frozenset({OURS})] * 3),
    "zoe": Person("zoe@example.com", frozenset({Role.LEAD}), *[frozenset({OTHERS})] * 3),
    "oda": Person("oda@example.com", frozenset({Role.OPERATOR})),
}


class DeskConsole(rig.Console):
    """The console, and the desk behind it as `desk`."""

    def __init__(self, desk, **more):
        session = offline_session()
        self.team = TeamRows(table=desk.conversations_table, clock=desk.clock)
        outreach = SimpleNamespace(
            inbox=desk.inbox, conversations=desk.conversations, team=self.team
        )
        services = session.services
        outreach.companies = Companies(services.table(services.settings.company_data_table))
        session.services.__dict__.update(outreach=outreach, journal=desk.journal, clock=desk.clock)
        super().__init__(session, **more)
        self.desk = desk

    def signs_in(self, *names):
        """People of the rig sign in: their companies' teams know them."""
        for name in names:
            who = rig.PEOPLE[name]
            self.team.signed_in(who.name, desk_roles(who))

    def looks(self, record):
        """Who looked at a conversation, in order."""
        entries = self.desk.journal.story(record.opaque_id)
        return [entry["actor"] for entry in entries if entry["action_type"] == "conversation view"]


@pytest.fixture
def desk_console(desk, monkeypatch):
    monkeypatch.setattr(rig, "PEOPLE", {**rig.PEOPLE, **PEOPLE})
    made = DeskConsole(desk)
    made.signs_in(*PEOPLE)
    return made
