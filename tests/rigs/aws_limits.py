"""What AWS accepts, each with the page of its documentation that says so.

`tests/house/test_aws_limits.py` measures the repository against every row; a row without a measure fails.
A rule that is no number is the number of its violations, which is none.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import files

import botocore.session

DOCS = "https://docs.aws.amazon.com/"
CLOUDFORMATION = f"{DOCS}AWSCloudFormation/latest/UserGuide/cloudformation-limits.html"
IAM = f"{DOCS}IAM/latest/UserGuide/reference_iam-quotas.html"
LAMBDA = f"{DOCS}lambda/latest/dg/gettingstarted-limits.html"
EVENT_SOURCE = f"{DOCS}lambda/latest/dg/services-sqs-parameters.html"
EVENT_SOURCE_QUEUE = f"{DOCS}lambda/latest/dg/services-sqs-configure.html"
EVENT_SOURCE_SCALING = f"{DOCS}lambda/latest/dg/services-sqs-scaling.html"
RECURSION = f"{DOCS}lambda/latest/dg/invocation-recursion.html"
SQS = f"{DOCS}AWSSimpleQueueService/latest/SQSDeveloperGuide/"
QUEUES = f"{SQS}quotas-queues.html"
MESSAGES = f"{SQS}quotas-messages.html"
DEDUPLICATION = f"{SQS}FIFO-queues-exactly-once-processing.html"
DELAYS = f"{SQS}sqs-message-timers.html"
DEAD_LETTERS = f"{SQS}sqs-dead-letter-queues.html"
REST_API = f"{DOCS}apigateway/latest/developerguide/api-gateway-execution-service-limits-table.html"
HTTP_API = f"{DOCS}apigateway/latest/developerguide/http-api-quotas.html"
DYNAMODB = f"{DOCS}amazondynamodb/latest/developerguide/Constraints.html"
INDEXES = f"{DOCS}amazondynamodb/latest/developerguide/HowItWorks.ReadConsistency.html"
ALARM = f"{DOCS}AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html"
COMPOSITE = f"{DOCS}AmazonCloudWatch/latest/APIReference/API_PutCompositeAlarm.html"
CLOUDWATCH = f"{DOCS}AmazonCloudWatch/latest/monitoring/cloudwatch_limits.html"
LOG_GROUP = f"{DOCS}AmazonCloudWatchLogs/latest/APIReference/API_CreateLogGroup.html"
RULE = f"{DOCS}eventbridge/latest/APIReference/API_PutRule.html"
BUCKET = f"{DOCS}AmazonS3/latest/userguide/bucketnamingrules.html"
TOPIC = f"{DOCS}sns/latest/api/API_CreateTopic.html"
SECRET = f"{DOCS}secretsmanager/latest/userguide/reference_limits.html"

KIB, MIB = 1024, 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limit:
    """One limit.

    Attributes:
        unit: of the value.
        source: the page that says so.
        most: the largest value that is accepted.
        least: the smallest one; 0 where only the largest is limited.
        model: the service and the shape that say the same in the SDK's own model.
    """

    unit: str
    source: str
    most: float
    least: float = 0
    model: tuple[str, str] | None = None


NO_END = float("inf")
LIMITS: Mapping[str, Limit] = {
    # --- CloudFormation
    "template before there is a bucket": Limit("bytes", CLOUDFORMATION, 51_200),
    "template in a bucket": Limit("bytes", CLOUDFORMATION, 1_000_000),
    "resources of a template": Limit("resources", CLOUDFORMATION, 500),
    "parameters of a template": Limit("parameters", CLOUDFORMATION, 200),
    "value of a parameter": Limit("bytes", CLOUDFORMATION, 4_096),
    "outputs of a template": Limit("outputs", CLOUDFORMATION, 200),
    "logical id": Limit("characters", CLOUDFORMATION, 255),
    "description of a template": Limit(
        "bytes", CLOUDFORMATION, 1_024, model=("cloudformation", "Description")
    ),
    # --- IAM
    "managed policy": Limit("characters", IAM, 6_144),
    "inline policies of a role": Limit("characters", IAM, 10_240),
    "trust policy": Limit("characters", IAM, 2_048),
    "role name": Limit("characters", IAM, 64, model=("iam", "roleNameType")),
    "policy name": Limit("characters", IAM, 128, model=("iam", "policyNameType")),
    # --- Lambda
    "environment of a function": Limit("bytes", LAMBDA, 4 * KIB),
    "timeout of a function": Limit("seconds", LAMBDA, 900, least=1),
    "memory of a function": Limit("megabytes", LAMBDA, 10_240, least=128),
    "layers of a function": Limit("layers", LAMBDA, 5),
    "code in a request, zipped": Limit("bytes", LAMBDA, 50 * MIB),
    "layer in a request, zipped": Limit("bytes", LAMBDA, 50 * MIB),
    "code and layers, unzipped": Limit("bytes", LAMBDA, 250 * MIB),
    "body of a request to a function": Limit("bytes", LAMBDA, 6 * MIB),
    "function name": Limit("characters", LAMBDA, 64),
    "functions that may loop without end": Limit("functions", RECURSION, 0),
    "rounds of a function in a chain": Limit("invocations", RECURSION, 16),
    # --- Lambda and SQS
    "batch of a FIFO event source": Limit("messages", EVENT_SOURCE, 10, least=1),
    "batching window of a FIFO event source": Limit("seconds", EVENT_SOURCE, 0),
    "concurrency of an event source": Limit(
        "invocations", EVENT_SOURCE_SCALING, 1_000, least=2, model=("lambda", "MaximumConcurrency")
    ),
    "visibility of an event source": Limit(
        "timeouts of its function", EVENT_SOURCE_QUEUE, NO_END, least=6
    ),
    "receives before a dead letter": Limit("receives", EVENT_SOURCE_QUEUE, 1_000, least=5),
    # --- SQS
    "queue name": Limit("characters", QUEUES, 80),
    "FIFO queues without .fifo": Limit("queues", QUEUES, 0),
    "delay of a message": Limit("seconds", MESSAGES, 900),
    "delays of messages to FIFO queues": Limit("messages", DELAYS, 0),
    "visibility of a queue": Limit("seconds", MESSAGES, 43_200),
    "retention of a message": Limit("seconds", MESSAGES, 1_209_600, least=60),
    "message": Limit("bytes", MESSAGES, MIB),
    "group id": Limit("characters", MESSAGES, 128, least=1),
    "deduplication id": Limit("characters", DEDUPLICATION, 128, least=1),
    "dead letters of another kind than their queue": Limit("queues", DEAD_LETTERS, 0),
    "dead letters kept for less than their queue's messages": Limit("queues", DEAD_LETTERS, 0),
    # --- API Gateway
    "timeout behind the API": Limit("seconds", REST_API, 29),
    "timeout behind the console's API": Limit("seconds", HTTP_API, 30),
    "resources of the API": Limit("paths", REST_API, 300),
    "routes of the console's API": Limit("routes", HTTP_API, 300),
    "body of a request": Limit("bytes", REST_API, 10 * 1_000_000),
    "headers of a request": Limit("bytes", REST_API, 10_240),
    # --- DynamoDB
    "item": Limit("bytes", DYNAMODB, 400 * KIB),
    "local indexes of a table": Limit("indexes", DYNAMODB, 5),
    "global indexes of a table": Limit("indexes", DYNAMODB, 20),
    "table name": Limit("characters", DYNAMODB, 255, least=3, model=("dynamodb", "TableName")),
    "writes of a batch": Limit("items", DYNAMODB, 25, model=("dynamodb", "WriteRequests")),
    "reads of a batch": Limit("items", DYNAMODB, 100, model=("dynamodb", "KeyList")),
    "consistent reads of a global index": Limit("calls", INDEXES, 0),
    # --- CloudWatch, EventBridge, S3, SNS, Secrets Manager
    "alarm name": Limit("characters", ALARM, 255, model=("cloudwatch", "AlarmName")),
    "alarm description": Limit(
        "characters", ALARM, 1_024, model=("cloudwatch", "AlarmDescription")
    ),
    "window of an alarm": Limit("seconds", ALARM, 86_400),
    "rule of an alarm of alarms": Limit(
        "characters", COMPOSITE, 10_240, model=("cloudwatch", "AlarmRule")
    ),
    "widgets of the dashboard": Limit("widgets", CLOUDWATCH, 500),
    "metrics of a widget": Limit("metrics", CLOUDWATCH, 500),
    "log group name": Limit("characters", LOG_GROUP, 512, model=("logs", "LogGroupName")),
    "name of a schedule's rule": Limit("characters", RULE, 64, model=("events", "RuleName")),
    "bucket name": Limit("characters", BUCKET, 63, least=3),
    "topic name": Limit("characters", TOPIC, 256, least=1),
    "secret name": Limit("characters", SECRET, 512, model=("secretsmanager", "NameType")),
}


@cache
def in_the_model(service: str, shape: str) -> float:
    """The largest value that the SDK's own model of a service has for a shape."""
    model = botocore.session.get_session().get_service_model(service)
    return float(model.shape_for(shape).metadata["max"])


@cache
def runtime_ends() -> dict[str, tuple[date, date, date]]:
    """When each of Lambda's Pythons is deprecated, and its functions neither made nor changed, by linter."""
    raw = json.loads(
        (files("cfnlint") / "data/AdditionalSpecs/LmbdRuntimeLifecycle.json").read_text()
    )
    names = ("deprecated", "create-block", "update-block")
    return {
        name: tuple(date.fromisoformat(dates[field]) for field in names)
        for name, dates in raw.items()
        if name.startswith("python3")
    }
