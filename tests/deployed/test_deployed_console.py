"""The console as a stack deploys it: an HTTP API before its function, whose packages are a layer."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
import requests

from local.deploy import bundle, deployment, stack
from local.stack import environment
from local.vendors.richpanel import Richpanel
from tests.rigs.openid import CLIENT_ID
from tests.rigs.openid_console import GROUPS

pytestmark = pytest.mark.deployed
STAGE = "dev"


class Site:
    """The deployed console: its address, and how to reach it."""

    def __init__(self, engine, api_id):
        self.host = f"{api_id}.execute-api.localhost:{engine.port}"
        self.url = f"http://{self.host}"
        self._engine = engine

    def get(self, address, cookies=()):
        """Ask under the API's own name; the engine tells APIs apart by it."""
        parts = urlsplit(address)
        return requests.get(
            f"{self._engine.url}{parts.path}?{parts.query}",
            headers={"Host": self.host, "Cookie": "; ".join(cookies)},
            allow_redirects=False,
            timeout=60,
        )


@pytest.fixture(scope="module")
def site(tmp_path_factory, provider):
    """Deployed twice: its address is known after the first time."""
    with (
        Richpanel() as richpanel,
        deployment.engine(log=tmp_path_factory.mktemp("engine") / "log") as engine,
    ):
        variables = environment.vendors(richpanel_url=richpanel.base_url)
        project = bundle.project(tmp_path_factory.mktemp("stack"), STAGE, variables)
        parameters = {
            "ConsoleIssuer": provider.url,
            "ConsoleClientId": CLIENT_ID,
            "ConsoleGroups": GROUPS,
        }
        deployed = stack.deploy(engine, project, STAGE, parameters=parameters)
        api_id = deployed.aws.client("apigatewayv2").get_apis()["Items"][0]["ApiId"]
        found = Site(engine, api_id)
        secret = {"Name": f"rp-mw/{STAGE}/console/client_secret", "SecretString": "invented"}
        deployed.aws.client("secretsmanager").create_secret(**secret)
        parameters["ConsoleUrl"] = found.url
        found.deployed = stack.deploy(engine, project, STAGE, parameters=parameters)
        yield found


def test_only_the_console_has_the_layer(site):
    layers = {
        one: bool(site.deployed.configuration(one).get("Layers")) for one in site.deployed.functions
    }
    assert {one for one, has in layers.items() if has} == {"console"}
    sizes = {site.deployed.configuration(one)["CodeSize"] for one in site.deployed.functions}
    assert len(sizes) == 1, "one bundle for all"


def test_a_person_signs_in_through_the_http_api(site, provider):
    provider.add("oda", "ops")
    asked = site.get("/")
    assert asked.status_code == 302, asked.text
    sent = site.get(asked.headers["location"])
    held = sent.headers["set-cookie"].partition(";")[0]
    back = site.get(provider.confirm(sent.headers["location"], "oda"), [held])
    assert (back.status_code, back.headers["location"]) == (302, "/")
    session = next(
        one for one in back.raw.headers.getlist("set-cookie") if one.startswith("__Host-console=")
    ).partition(";")[0]
    page = site.get("/", [session])
    assert (page.status_code, "oda@example.com" in page.text) == (200, True)
    assert "default-src 'none'" in page.headers["content-security-policy"]
