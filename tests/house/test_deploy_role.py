"""The deployer may do what CloudFormation does of its stacks, as AWS's own handlers name it.

What it may not, even with policies that allow everything, is in `test_refusals`.
"""

import json

from local.stack.engine import REGION
from ops.stage.template import FUNCTIONS, StageTemplate
from tests.rigs.iam import resource_handlers
from tests.rigs.iam.authorization import Request, decide, may
from tests.rigs.iam.aws_calls import arn_of
from tests.rigs.iam.service_reference import knows_resources, takes
from tests.rigs.iam.stage_roles import ACCOUNT, deployer, stage_template
from tests.rigs.one_case import one_case

STAGES = ("dev", "staging", "prod")
OF_FUNCTIONS = {
    "AWS::ApiGateway::Deployment",
    "AWS::ApiGateway::RestApi",
    "AWS::ApiGateway::Stage",
    "AWS::Events::Rule",
    "AWS::Lambda::EventInvokeConfig",
    "AWS::Lambda::EventSourceMapping",
    "AWS::Lambda::Function",
    "AWS::Lambda::Permission",
    "AWS::SNS::Subscription",
}
"""The types of resources that AWS SAM adds to those that the functions' template names."""
BARE = ("logs:ListTagsForResource", "logs:TagResource", "logs:UntagResource")
"""Actions on a log group whose ARN ends with its name."""


def places(kind, action, properties, stage):
    """The ARNs that actions on a resource may name."""
    of = {
        "AWS::DynamoDB::Table": ("dynamodb", "table/{TableName}"),
        "AWS::SQS::Queue": ("sqs", "{QueueName}"),
        "AWS::S3::Bucket": ("s3", "{BucketName}"),
        "AWS::SNS::Topic": ("sns", "{TopicName}"),
        "AWS::CloudWatch::Alarm": ("cloudwatch", "alarm:{AlarmName}"),
        "AWS::CloudWatch::CompositeAlarm": ("cloudwatch", "alarm:{AlarmName}"),
        "AWS::Logs::LogGroup": ("logs", "log-group:{LogGroupName}"),
        "AWS::SES::ConfigurationSet": ("ses", "configuration-set/{Name}"),
        "AWS::Lambda::LayerVersion": ("lambda", "layer:{LayerName}"),
    }
    if kind in of:
        service, rest = of[kind]
        yield arn_of(f"{service}/{rest.format(**properties)}", ACCOUNT)
    yield f"arn:aws:iam::{ACCOUNT}:role/{properties.get('RoleName', f'rp-mw-{stage}-worker')}"
    yield f"arn:aws:cloudwatch::{ACCOUNT}:dashboard/rp-mw-{stage}"
    yield arn_of(f"lambda/function:rp-mw-{stage}-worker", ACCOUNT)
    yield arn_of("lambda/event-source-mapping:00000000-0000-0000-0000-000000000000", ACCOUNT)
    yield arn_of(f"lambda/layer:rp-mw-{stage}-console:1", ACCOUNT)
    yield arn_of(f"s3/rp-mw-artifacts-{stage}-{ACCOUNT}-{REGION}/stacks/1/code.zip", ACCOUNT)
    yield arn_of(f"events/rule/rp-mw-{stage}-reconcile-event", ACCOUNT)
    yield arn_of(f"sns/rp-mw-mail-{stage}", ACCOUNT)
    yield arn_of(f"ses/configuration-set/rp-mw-{stage}", ACCOUNT)
    yield arn_of(f"wafv2/regional/webacl/rp-mw-{stage}-doors/i", ACCOUNT)
    collections = {"AWS::ApiGatewayV2::Api": "apis", "AWS::ApiGateway::RestApi": "restapis"}
    if kind in collections:
        made = "" if action == "apigateway:POST" else "/abc"
        yield f"arn:aws:apigateway:{REGION}::/{collections[kind]}{made}"
    elif kind.startswith("AWS::ApiGatewayV2"):
        yield f"arn:aws:apigateway:{REGION}::/apis/abc/{kind[19:].lower()}s"
    elif kind.startswith(("AWS::ApiGateway", "AWS::WAFv2")):
        yield f"arn:aws:apigateway:{REGION}::/restapis/abc/stages/{stage}"


def request(kind, action, properties, stage):
    """The request of an action on a resource, as the handler would make it."""
    boundary = f"arn:aws:iam::{ACCOUNT}:policy/rp-mw-{stage}-boundary"
    function = arn_of(f"lambda/function:rp-mw-{stage}-worker", ACCOUNT)
    context = {
        "iam:PermissionsBoundary": (boundary,),
        "iam:PassedToService": ("lambda.amazonaws.com",),
        "lambda:FunctionArn": (function,),
        "sns:Protocol": ("lambda",),
        "sns:Endpoint": (function,),
        "aws:RequestTag/stage": (stage,),
        "aws:ResourceTag/stage": (stage,),
    }
    action = {"apigateway:SetWebACL": "apigateway:PATCH"}.get(action, action)
    if not knows_resources(action):
        return Request(action, "*", context)
    where = next(
        (place for place in places(kind, action, properties, stage) if takes(action, place)), None
    )
    assert where, f"{action} of {kind} takes none of the named resources"
    if kind == "AWS::Logs::LogGroup" and action not in BARE:
        where += ":log-stream:"
    return Request(action, where, context)


def asked(stage):
    """Every request of the handlers, for every resource of both stacks."""
    data = stage_template(stage)
    raw = json.loads(FUNCTIONS.read_text())
    functions = StageTemplate(raw, {"Stage": stage}, account=ACCOUNT, region=REGION)
    found = [
        (
            resource["Type"],
            logical_id,
            resource.get("DeletionPolicy", "Delete") == "Delete",
            template,
        )
        for template, document in ((data, data.to_deploy()), (functions, raw))
        for logical_id, resource in document["Resources"].items()
        if resource.get("Type", "AWS::Serverless::Api") != "AWS::Serverless::Api"
    ]
    for kind, logical_id, is_deleted, template in found:
        made = [
            resource for resource in template.resources(kind) if resource.logical_id == logical_id
        ]
        properties = made[0].properties if made else {"LayerName": f"rp-mw-{stage}-console"}
        for action in resource_handlers.needed(kind, is_deleted=is_deleted):
            yield kind, action, request(kind, action, properties, stage)
    for kind in sorted(OF_FUNCTIONS):
        for action in resource_handlers.needed(kind):
            yield kind, action, request(kind, action, {}, stage)


@one_case("stage", STAGES)
def test_the_deployer_may_do_what_the_handlers_of_its_resources_call(stage):
    who, refused, count = deployer(stage), set(), 0
    for kind, action, call in asked(stage):
        count += 1
        if not may(who, call):
            refused.add((kind, action, call.resource, str(decide(who, call))))
    assert count > 500
    assert refused == set(), "\n".join(map(str, sorted(refused)))


def test_what_is_left_out_of_the_handlers_is_of_a_handler():
    kinds = {kind for kind, _, _ in asked("dev")}
    used = {
        resource_handlers.left_out(kind, action)
        for kind in kinds
        for actions in resource_handlers.handlers(kind).values()
        for action in actions
    }
    named = {pattern for patterns in resource_handlers.LEFT_OUT.values() for pattern in patterns}
    assert named - used == set()
