"""Extends `chalice deploy` and `chalice package` with what Chalice lacks; `app` calls it only under them.

A stage is refused if its data stack does not exist, or if a stack has its functions: Chalice would
make them a second time.  Each function gets the role that the template declares, within the stage's
permission boundary.  `.chalice/config.json` names the roles for any account; this module fills in
the account, and the variables that the template adds to a function, such as the name of the facts'
bucket.  The API is created with its stage's tag, by which the policies recognise it, and gets the
declared throttle of each route.  Lambda is configured to keep failed events.  `chalice_record`
knows what Chalice deployed before.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import boto3
from botocore.exceptions import BotoCoreError, ClientError
from chalice.awsclient import TypedAWSClient
from chalice.config import Config
from chalice.deploy.deployer import ResultsRecorder

from chalicelib.errors import MiddlewareError, SettingsError
from chalicelib.wiring import services
from ops.session import OpsError
from ops.stage import artifacts, chalice_record, config, failures, names, runtime, stack
from ops.stage.template import StageTemplate, StageTemplateError

APP = "rp-mw"


def check() -> None:
    """Refuse a deployment that would fail after a minute of packaging, or is not declared.

    Raises:
        SystemExit: the stage is not declared or has wrong settings, this Python is not the pinned
            one, Lambda no longer accepts it, there is no region, or a table has another name.
    """
    refuse_undeclared(sys.argv)
    runtime.refuse_other()
    runtime.refuse_ended(datetime.now(UTC).date())
    if boto3.session.Session().region_name is None:
        sys.exit("no region: export AWS_DEFAULT_REGION=<region>, or AWS_PROFILE=<yours>")
    try:
        settings = services().settings
    except SettingsError as error:
        sys.exit(f"{error}; look at .chalice/config.json")
    template = StageTemplate.load(settings.stage, account="", region="")
    try:
        names.refuse_other_names(template, settings)
    except StageTemplateError as error:
        sys.exit(f"stage {settings.stage} cannot be packaged: {error}")


def prepare() -> None:
    """Refuse a stage that is not provisioned in this account, and patch Chalice for the stage.

    Raises:
        SystemExit: the stage does not exist, a stack has its functions, or AWS cannot be reached.
    """
    profile = _given(sys.argv, "--profile")
    if profile:
        os.environ["AWS_PROFILE"] = profile
    check()
    refuse_console(os.environ)
    settings = services().settings
    try:
        services().check_stage()
        stack.refuse_stacks(services(), settings.stage)
        account = boto3.client("sts").get_caller_identity()["Account"]
    except OpsError as error:
        sys.exit(str(error))
    except (MiddlewareError, BotoCoreError, ClientError) as error:
        sys.exit(
            f"stage {settings.stage} cannot be deployed by chalice deploy: {error}. "
            f"Provision it first: python -m ops provision --stage {settings.stage}"
        )
    region = boto3.session.Session().region_name
    template = StageTemplate.load(settings.stage, account=account, region=region)
    name_roles(template)
    tag_api(template)
    add_variables(template)
    throttle_routes(template)
    after_deployment(lambda: failures.set_failure_destinations(boto3.client("lambda"), template))
    try:
        keep = chalice_record.plan_by_shared_record(
            settings.stage, artifacts.name(settings.stage, account, region), Path.cwd()
        )
    except (BotoCoreError, ClientError) as error:
        sys.exit(f"the record of stage {settings.stage} cannot be read: {error}")
    after_deployment(keep)


def refuse_undeclared(arguments: Sequence[str]) -> None:
    """Refuse a stage that the configuration does not declare: Chalice would give it no variables.

    Raises:
        SystemExit: names the stage, and the declared ones.
    """
    stage = _given(arguments, "--stage") or "dev"
    if stage not in config.stages():
        known = ", ".join(config.stages())
        sys.exit(f".chalice/config.json declares no stage {stage}: there are {known}")


def after_deployment(do: Callable[[], object]) -> None:
    """Make Chalice call `do` once it has recorded a deployment."""
    record = ResultsRecorder.record_results  # there is no hook for it

    def recorded(self: ResultsRecorder, results: Any, name: str, folder: str) -> None:  # noqa: ANN401
        record(self, results, name, folder)
        do()

    setattr(ResultsRecorder, record.__name__, recorded)


def refuse_console(environ: Mapping[str, str]) -> None:
    """Refuse to deploy the console: Chalice makes no HTTP API, and accepts a layer only by its ARN.

    Without them the function could not be reached.

    Raises:
        SystemExit: says what to do instead.
    """
    if environ.get("CONSOLE_ISSUER"):
        sys.exit(
            "CONSOLE_ISSUER is set, but chalice deploy can make neither the console's HTTP API nor"
            " its layer: deploy the stage as a stack (parameter ConsoleIssuer), or use the console"
            " on your own machine (python -m ops console)"
        )


def name_roles(template: StageTemplate) -> None:
    """Make Chalice fill account and stage into the roles' ARNs."""
    own = vars(Config)["iam_role_arn"].fget  # there is no hook for it

    def resolved(self: Config) -> str:
        return str(template.resolved({"Fn::Sub": own(self)}))

    setattr(Config, own.__name__, property(resolved))


def tag_api(template: StageTemplate) -> None:
    """Make Chalice create the API with its stage's tag, by which the policies recognise it.

    API Gateway imports an API without tags, so the API is first created with them, then
    overwritten.
    """
    imported = TypedAWSClient.import_rest_api  # there is no hook for it
    (api,) = template.resources("AWS::Serverless::Api")

    def tagged(self: TypedAWSClient, swagger_document: dict[str, Any], endpoint_type: str) -> str:
        made: str = self._client("apigateway").create_rest_api(
            name=swagger_document["info"]["title"],
            endpointConfiguration={"types": [endpoint_type]},
            tags=api.properties["Tags"],
        )["id"]
        self.update_api_from_swagger(made, swagger_document)
        return made

    setattr(TypedAWSClient, imported.__name__, tagged)


def add_variables(template: StageTemplate) -> None:
    """Give each function the variables that the template adds; configured ones take precedence."""
    own = vars(Config)["environment_variables"].fget  # there is no hook for it
    added = {
        name.removeprefix(f"{APP}-{template.stage}").removeprefix("-"): properties["Environment"]
        for name, properties in template.functions()
    }  # the routes' function has no own name; nothing is added to it

    def variables(self: Config) -> dict[str, str]:
        more = added.get(self.function_name, {}).get("Variables", {})
        return {**more, **own(self)}

    setattr(Config, own.__name__, property(variables))


def throttle_routes(template: StageTemplate) -> None:
    """Make Chalice set the declared throttles on the stage of the API that it deploys."""
    deploy = TypedAWSClient.deploy_rest_api  # there is no hook for it
    (api,) = template.resources("AWS::Serverless::Api")
    limits = {"ThrottlingRateLimit": "rateLimit", "ThrottlingBurstLimit": "burstLimit"}
    changes = [
        {
            "op": "replace",
            "path": f"{route['ResourcePath']}/{route['HttpMethod']}/throttling/{name}",
            "value": str(route[declared]),
        }
        for route in api.properties["MethodSettings"]
        for declared, name in limits.items()
    ]

    def throttled(
        self: TypedAWSClient,
        rest_api_id: str,
        api_gateway_stage: str,
        xray: bool,  # noqa: FBT001 - as Chalice calls it
    ) -> None:
        deploy(self, rest_api_id, api_gateway_stage, xray)
        client = self._client("apigateway")
        client.update_stage(
            restApiId=rest_api_id, stageName=api_gateway_stage, patchOperations=changes
        )

    setattr(TypedAWSClient, deploy.__name__, throttled)


def _given(arguments: Sequence[str], option: str) -> str:
    """The value of a command-line option; empty if it was not given."""
    for argument, following in zip(arguments, [*arguments[1:], ""], strict=True):
        if argument == option:
            return following
        if argument.startswith(f"{option}="):
            return argument.partition("=")[2]
    return ""
