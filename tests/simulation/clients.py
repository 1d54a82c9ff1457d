"""The product's clients of every vendor, as the product builds them, on the wire in memory."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import boto3
from botocore.exceptions import ClientError

from chalicelib.aws.secrets import SecretsManager
from chalicelib.facts.posting.build import TOKENS_PER_MINUTE
from chalicelib.facts.posting.entra import EntraTokens
from chalicelib.facts.posting.powerbi import POSTS_PER_MINUTE, SCOPE, PowerBi
from chalicelib.outreach.carriers import TWILIO_REQUESTS_PER_30_S
from chalicelib.outreach.ses.client import SES_CONFIG, Ses
from chalicelib.outreach.twilio import client as twilio
from chalicelib.outreach.twilio import credentials
from chalicelib.outreach.twilio.client import Credentials, Twilio
from chalicelib.support.richpanel.calls import PROVIDER, key_header
from chalicelib.support.richpanel.client import Richpanel
from chalicelib.support.richpanel.linked_orders import RichpanelOrders
from chalicelib.vendors.breaker import Breaker
from chalicelib.vendors.http import VendorApi, VendorClient
from chalicelib.vendors.level import LevelPace
from chalicelib.vendors.rate_limit import RateLimit
from local.vendors import powerbi as powerbi_vendor
from local.vendors import richpanel as richpanel_vendor
from local.vendors import twilio as twilio_vendor
from local.vendors.entra import TENANT
from tests.simulation import endpoints, neighbours
from tests.simulation.carriers import CONFIGURATION_SET
from tests.simulation.wire import url_of

if TYPE_CHECKING:
    from tests.simulation.containers import Container
    from tests.simulation.world import World

RICHPANEL_KEY = "richpanel/api_key"
POWERBI_SECRET = "powerbi/client_secret"
WEBHOOK_TOKENS = "twilio/webhook_tokens"
REQUESTS_PER_30_S = 10
"""A container's share of Richpanel's limit, as with two workers and the sweep."""
REGION = "us-east-1"


def secrets() -> dict[str, str]:
    """Every secret of the stage, by name."""
    tokens = {account: [twilio_vendor.AUTH_TOKEN] for account in neighbours.ACCOUNTS}
    accounts = [
        json.dumps(
            {
                "twilio_account_sid": account,
                "twilio_auth_token": twilio_vendor.AUTH_TOKEN,
                "twilio_template_sid": twilio_vendor.TEMPLATE_SID,
            }
        )
        for account in neighbours.ACCOUNTS
    ]
    return {
        RICHPANEL_KEY: richpanel_vendor.API_KEY,
        POWERBI_SECRET: powerbi_vendor.CLIENT_SECRET,
        WEBHOOK_TOKENS: json.dumps(tokens),
        **dict(zip(neighbours.SECRETS, accounts, strict=True)),
        **endpoints.secrets(),
    }


class SimSecrets:
    """The boto3 client under `SecretsManager`; a deleted secret is not found."""

    def __init__(self, world: World) -> None:
        self._world = world

    def get_secret_value(self, *, SecretId: str) -> Any:  # noqa: N803 - boto3's name
        """See boto3."""
        world = self._world
        if SecretId in world.deleted_secrets:
            world.happened["deleted_secret_read"] += 1
            error = {"Error": {"Code": "ResourceNotFoundException"}}
            raise ClientError(error, "GetSecretValue")  # type: ignore[arg-type]
        return {"SecretString": world.secrets[SecretId]}


class Clients:
    """The clients of one container; each keeps its pace, its breaker and its caches."""

    def __init__(self, container: Container) -> None:
        self._container = container
        self._world = container.world
        self._clock = container.clock
        self._secrets = SecretsManager(SimSecrets(container.world), container.clock)

    # --- tickets ------------------------------------------------------------------------------

    @cached_property
    def richpanel(self) -> Richpanel:
        """Richpanel's client."""
        return Richpanel(client=self._richpanel, clock=self._clock)

    @cached_property
    def orders(self) -> RichpanelOrders:
        """Richpanel's client of linked orders."""
        return RichpanelOrders(self._richpanel)

    @cached_property
    def _richpanel(self) -> VendorClient:
        header = key_header(lambda refresh: self._secrets.text(RICHPANEL_KEY, refresh=refresh))
        return self._vendor(PROVIDER, header, REQUESTS_PER_30_S)

    # --- outreach -----------------------------------------------------------------------------

    @cached_property
    def twilio_of_companies(self) -> Twilio:
        """Twilio by the name of a company's secret."""
        return self._twilio(
            lambda name, refresh: credentials.of_company(self._secrets.text(name, refresh=refresh))
        )

    @cached_property
    def ses(self) -> Ses:
        """SES's client on boto3."""
        return Ses(
            client=_sesv2(self._container.number),
            configuration_set=CONFIGURATION_SET,
            region=REGION,
            clock=self._clock,
            log=self._container.log,
        )

    def secret(self, name: str, *, refresh: bool) -> str:
        """A secret of the stage."""
        return self._secrets.text(name, refresh=refresh)

    def _twilio(self, known: Callable[[str, bool], Credentials]) -> Twilio:
        def client(name: str) -> VendorClient:
            return self._vendor(
                twilio.PROVIDER,
                lambda refresh: twilio.basic_auth_header(known(name, refresh)),
                TWILIO_REQUESTS_PER_30_S,
                error_code_at=twilio.ERROR_CODE_AT,
            )

        return Twilio(known, client)

    # --- facts --------------------------------------------------------------------------------

    @cached_property
    def powerbi(self) -> PowerBi:
        """Power BI's client of the dataset."""
        dataset = self._world.dataset
        tokens = EntraTokens(
            scope=SCOPE,
            client=self._vendor("powerbi", lambda _: {}, TOKENS_PER_MINUTE, window_seconds=60.0),
            path=f"/{TENANT}/oauth2/v2.0/token",
            client_id=powerbi_vendor.CLIENT_ID,
            secret=lambda refresh: self._secrets.text(POWERBI_SECRET, refresh=refresh),
            clock=self._clock,
        )
        return PowerBi(
            client=self._vendor(
                "powerbi", tokens.headers, POSTS_PER_MINUTE // 2, window_seconds=60.0
            ),
            clock=self._clock,
            workspace_id=powerbi_vendor.WORKSPACE,
            dataset_id=dataset.dataset_id,
            is_numbered=dataset.is_numbered,
        )

    # --- all ----------------------------------------------------------------------------------

    def _vendor(
        self,
        provider: str,
        authorize: Callable[[bool], Mapping[str, str]],
        requests_per_window: float,
        *,
        window_seconds: float = 30.0,
        error_code_at: tuple[str, ...] = (),
    ) -> VendorClient:
        """As `shared.Shared.vendor`."""
        clock = self._clock
        return VendorClient(
            api=VendorApi(
                provider=provider,
                base_url=url_of(provider),
                authorize=authorize,
                error_code_at=error_code_at,
            ),
            clock=clock,
            log=self._container.log,
            rate_limit=RateLimit(
                provider=provider,
                clock=clock,
                current=self._container.current_job,
                pace=LevelPace(requests_per_window, window_seconds=window_seconds),
            ),
            breaker=Breaker(provider, clock),
        )


@cache
def _sesv2(container: int) -> Any:
    """One client a container number, for all worlds: building one takes milliseconds."""
    del container
    return boto3.client(
        "sesv2",
        endpoint_url=url_of("ses"),
        region_name=REGION,
        aws_access_key_id="simulated",
        aws_secret_access_key="simulated",
        config=SES_CONFIG,
    )
