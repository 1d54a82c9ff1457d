"""A console with sign-in by a provider, its tables in memory."""

from console import openid, settings
from console.app import create_app
from console.backend import Options
from console.sessions import Sessions
from ops.session import Session
from tests.rigs.openid import CLIENT_ID, Visitor
from tests.rigs.ops_session import OfflineServices
from tests.simulation import tables

URL = "https://console.example"
GROUPS = (
    '{"ops": ["operator"], "auditors": ["viewer"],'
    ' "a-agents": ["agent:ci-a"], "a-leads": ["lead:ci-a"], "b-leads": ["lead:ci-b"]}'
)


class OpenIdConsole:
    """The console as it is deployed, with other tables.

    Args:
        provider: where people sign in.
        services: of the stage.
        environ: settings that differ from the rig's.
    """

    def __init__(self, provider, services=None, **environ):
        self.services = services or OfflineServices()
        self.settings = settings.load(
            {
                "CONSOLE_URL": URL,
                "CONSOLE_ISSUER": provider.url,
                "CONSOLE_CLIENT_ID": CLIENT_ID,
                "CONSOLE_GROUPS": GROUPS,
                **environ,
            }
        )
        self.table = tables.console_sessions()
        self.kept_roles = []
        self.sessions = Sessions(self.table, self.services.clock, self.settings.session_lasts)
        sign_in = self.sign_in = openid.OpenIdSignIn(
            self.settings,
            self.sessions,
            lambda: "secret",
            self.services.journal.enter,
            self.services.clock,
            lambda name, roles: self.kept_roles.append((name, sorted(roles))),
        )
        is_https = self.settings.url.startswith("https:")
        options = Options(frozenset({self.settings.host}), sign_in.form_targets, is_https=is_https)
        self.app = create_app(Session.over(self.services), sign_in, options)
        self.provider = provider

    def visitor(self):
        """A browser without script."""
        return Visitor(self.app, self.settings.url, self.provider)
