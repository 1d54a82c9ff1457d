"""Whether the tree that this runs in has the act `praise` everywhere; prints what it lacks, as JSON."""

import json
from types import SimpleNamespace

import typer
import yaml

from bench.report import desk as pages
from chalicelib.outreach.desk.operators import OperatorsDesk
from ops import cli
from ops.companies import handoff
from tests.console.whole import test_conversations as in_the_console
from tests.outreach.desk.whole import test_acts as at_the_desk
from tests.rigs import console as rig
from tests.rigs.desk import DeskRig
from tests.rigs.desk_console import PEOPLE, DeskConsole

NO_TWILIO = SimpleNamespace(base_url="http://127.0.0.1:9")
GRADE = {"grade": "good"}


class Looks:
    """One look at each thing that is made of the act's row."""

    def __init__(self):
        self.desk = DeskRig(NO_TWILIO)
        self.record = self.desk.handed_off()

    def praised(self):
        return self.desk.conversations.reread(self.record).item["praised"]

    def api(self):
        version = self.desk.get(self.record).body["version"]
        answer = self.desk.post(self.record, act="praise", by="sam", version=version, **GRADE)
        assert (answer.status, self.praised()) == (200, "good"), answer.body
        refused = self.desk.post(self.record, act="praise", by="sam", version=version)
        assert refused.body["code"] == "INVALID_GRADE"

    def command_line(self):
        group = typer.main.get_command(cli.app).commands["handoff"]
        options = {param.name: param for param in group.commands["praise"].params}
        assert (options["grade"].required, options["grade"].help) == (True, "Of the answer.")
        desk = OperatorsDesk(inbox=self.desk.inbox, handoffs=self.desk.handoffs)
        services = SimpleNamespace(outreach=SimpleNamespace(desk=desk, inbox=self.desk.inbox))
        session = SimpleNamespace(services=services, identity=SimpleNamespace(name="Operators/jo"))
        handoff.act(session, "praise", self.record.opaque_id, "sam", fields=GRADE)
        assert self.praised() == "good"

    def form(self):
        rig.PEOPLE.update(PEOPLE)
        reader = in_the_console.Reader(DeskConsole(self.desk), "sam", self.record)
        assert 'name="grade" maxlength="20" required' in reader.page
        assert "Praise it" in reader.page
        assert reader.act("praise", **GRADE).status_code == 303
        assert self.praised() == "good"

    def openapi(self):
        path = next(page for page in pages.pages() if page.name == "openapi.yaml")
        assert path.read_text() == pages.pages()[path]
        schemas = yaml.safe_load(path.read_text())["components"]["schemas"]
        assert "praise" in schemas["DeskAct"]["properties"]["act"]["enum"]
        assert schemas["DeskAct"]["properties"]["grade"]["maxLength"] == 20
        assert "INVALID_GRADE" in schemas["DeskError"]["properties"]["code"]["enum"]

    def page(self):
        path = next(page for page in pages.pages() if page.name == "outreach-people.md")
        assert path.read_text() == pages.pages()[path]
        assert "| `praise` | `grade` |" in path.read_text()

    def tests(self):
        at_the_desk.test_every_act_of_the_desk_is_tested()
        in_the_console.test_every_act_of_the_desk_is_tested()
        assert "praise" in at_the_desk.FIELDS


if __name__ == "__main__":
    lacks = {}
    for name in ("api", "command_line", "form", "openapi", "page", "tests"):
        try:
            getattr(Looks(), name)()
        except (AssertionError, KeyError) as error:
            lacks[name] = repr(error)
    print(json.dumps(lacks))
