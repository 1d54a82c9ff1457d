"""The set-up page, walked from an empty tenant to the first automatic answer, and nothing else."""

import importlib
import io
import re
from contextlib import suppress
from pathlib import Path

import pytest

from chalicelib.support.configuration.applied import BUILT_IN
from chalicelib.support_settings import VARIABLES
from local.stack.server import Http
from local.vendors.shopify import SimulatedShopify
from ops.stage import config
from tests.rigs.ops_cli import runner

pytestmark = pytest.mark.long  # the whole page walked; its commands and settings are tested apart

PAGE = (Path(__file__).parents[3] / "docs" / "richpanel-setup.md").read_text()
EMAIL = "ada@example.com"


def section(number):
    return re.search(rf"^## {number}\. .*?(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)[0]


def steps():
    """Number, what to do, and the names of the checks."""
    rows = re.findall(r"^\| (\d+) \| (.*) \| (.*)\|$", section(5), re.MULTILINE)
    return {int(n): (do, re.findall(r"`([a-z -]+)`", shown)) for n, do, shown in rows}


def commands(step):
    return [line.split()[3:] for line in re.findall(r"`(python -m ops [^`<]+)`", steps()[step][0])]


def variables():
    return dict(re.findall(r"^\| `([A-Z_]+)` \| (.*) \|$", section(5), re.MULTILINE))


@pytest.fixture
def walk(app, system, without_rate_limits, capsys, monkeypatch):
    """The tenant is empty and the stage in shadow mode, as it is after its deployment."""
    return Walk(app, system, runner(capsys), monkeypatch)


class Walk:
    def __init__(self, app, system, run, monkeypatch):
        self.app, self.system, self.run, self.monkeypatch = app, system, run, monkeypatch
        for name, value in (("shadow_mode", "true"), ("automation_enabled", "false")):
            system.switch(name, value)

    def findings(self):
        return {finding["check"]: finding for finding in self.run("doctor", "--json").data}

    def does(self, step):
        """Run the step's commands as the page writes them."""
        found = commands(step)
        assert found, step
        for command in found:
            said = self.run(*command)
            assert said.code == 0, (command, said.err)

    def is_shown(self, step, result="ok"):
        findings = self.findings()
        for check in steps()[step][1]:
            assert findings[check]["result"] == result, findings[check]

    def keeps_secret(self, name):
        """A secret of the page that the test's stage does not have yet."""
        client = self.system.stage.aws.client("secretsmanager")
        with suppress(client.exceptions.ResourceExistsException):
            client.create_secret(Name=f"rp-mw/dev/{name}", SecretString="{}")

    def deploys(self, **more):
        """Set variables of the stage's configuration; new containers have them."""
        configured = {**config.configured("dev"), **more}
        self.monkeypatch.setattr("ops.session.config.configured", lambda _stage: configured)
        for name, value in more.items():
            self.monkeypatch.setenv(name, value)
        importlib.import_module("chalicelib.wiring")._services.clear()
        self.system.services().log._stream = io.StringIO()  # its lines are not the commands'


def test_the_page_leads_to_the_first_answer(walk):
    system, richpanel = walk.system, walk.system.richpanel
    for name in re.findall(r"rp-mw/<stage>/([a-z_]+/[a-z_]+)` (?:and|hold)", steps()[1][0]):
        walk.keeps_secret(name)
    walk.is_shown(1)
    with Http(walk.app.app) as door:
        walk.deploys(PUBLIC_BASE_URL=door.url)
        walk.is_shown(2)
        walk.is_shown(3, "manual")
        assert walk.findings()["richpanel tags"]["result"] == "fail"
        walk.does(4)
        walk.is_shown(4)
        walk.is_shown(5, "manual")

        system.post(system.ticket("1041", "I want a refund"))
        system.run()
        walk.is_shown(6)
    assert system.writes() == []
    walk.does(7)

    walk.does(8)
    system.services().switches._cached = None
    system.post(system.ticket("1042", "I want a refund"))
    system.run()
    assert "route-returns-admin" in richpanel.tags_of("1042")

    before = walk.findings()
    assert {before[check]["result"] for check in steps()[9][1] if check != "answers templates"} == {
        "warn"
    }
    with SimulatedShopify() as shop:
        shop.add_order(
            "#1001",
            email=EMAIL,
            tracking={"number": "ZZ1", "url": "https://carrier.example/ZZ1", "company": "UPS"},
        )
        walk.deploys(
            RICHPANEL_BOT_AGENT_ID=richpanel.users[0]["id"],
            MW_OUTBOUND_ALLOWLIST_EMAILS=EMAIL,
            SHOPIFY_BASE_URL=shop.base_url,
            RICHPANEL_OUTBOUND_ENABLED="true",
        )
        shop.set_modes(scopes="read_orders,read_products")
        lacks = walk.findings()["answers scopes"]
        assert lacks["result"] == "warn"
        assert "fulfilment holds (read_merchant_managed_fulfillment_orders or" in lacks["detail"]
        assert "orders older than 60 days (read_all_orders)" in lacks["detail"]
        shop.set_modes(scopes="read_orders,read_all_orders,read_third_party_fulfillment_orders")
        walk.is_shown(9)
        assert walk.findings()["answers switches"]["result"] == "warn"
        walk.does(10)
        walk.is_shown(10)
        walk.deploys()
        question = re.search(r"\*(Where is my order #1001\?)\*", steps()[11][0])[1]
        for ticket, email in (("1050", EMAIL), ("1051", "eve@example.com")):
            system.post(system.ticket(ticket, question, customer_email=email))
            system.run()

    assert ["/1050/" in call.path for call in richpanel.calls_of("send_message")] == [True]
    assert "https://carrier.example/ZZ1" in richpanel.calls_of("send_message")[0].body["body"]
    assert "mw-outbound-blocked-allowlist" in richpanel.tags_of("1051")
    assert walk.run("explain", "1050").code == 0
    walk.does(12)


def test_the_page_names_every_route_tag_and_every_variable_of_answers():
    rules = re.findall(r"^\| `(route-[a-z-]+)` \|", section(3), re.MULTILINE)
    assert set(rules) == BUILT_IN.departments
    named = {name for name, _ in VARIABLES.values()}
    wanted = {name for name in named if name.startswith(("RICHPANEL_", "MW_", "TEMPLATES", "SUPP"))}
    assert wanted | {"SHOPIFY_BASE_URL"} <= set(variables())


def test_a_bot_that_is_no_user_is_named(walk):
    walk.deploys(RICHPANEL_BOT_AGENT_ID="nobody-7")
    found = walk.findings()["answers bot"]
    assert (found["result"], "RICHPANEL_BOT_AGENT_ID" in found["detail"]) == ("fail", True)


def test_an_assignee_of_the_settings_who_is_gone_is_named(walk, richpanel, tmp_path):
    file = tmp_path / "support-settings.toml"
    file.write_text('[departments.route-returns-admin]\nassignee = "agent-gone"\n')
    richpanel.users.append({"id": "agent-gone"})
    assert walk.run("support-settings", "put", file).code == 0
    richpanel.users.pop()
    found = walk.findings()["richpanel assignees"]
    assert (found["result"], "agent-gone" in found["detail"]) == ("fail", True)
