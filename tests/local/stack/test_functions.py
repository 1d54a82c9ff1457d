"""The product's invocations run in the stack's process; the engine answers what else Lambda is asked."""

import json

import boto3
import pytest
from botocore.exceptions import ClientError

from local.stack.functions import Functions
from local.vendors.wire import HOST, Listener, WireAnswer


class Engine:
    """Knows no function."""

    name = "engine"

    def epoch(self):
        return 0.0

    def admin(self, _request):
        return WireAnswer(404)

    def serve(self, request, connection):
        if request.path.rstrip("/").endswith("/event-source-mappings"):
            connection.send(WireAnswer(200, {"EventSourceMappings": [{"UUID": "u-1"}]}))
            return
        kind = {"x-amzn-errortype": "ResourceNotFoundException"}
        connection.send(WireAnswer(404, {"Message": "there is none"}, kind))


@pytest.fixture
def client():
    engine = Listener(Engine(), 0)
    url = f"http://{HOST}:{engine.port}"
    with Functions({"known": lambda event, context: [event, context.function_name]}, url) as made:
        yield boto3.client(
            "lambda",
            region_name="us-east-1",
            endpoint_url=made.url,
            aws_access_key_id="testing",
            aws_secret_access_key="testing",
        )
    engine.close()


def test_a_known_function_is_called_with_its_event(client):
    answer = client.invoke(FunctionName="known", Payload=b'{"a": 1}')
    assert json.load(answer["Payload"]) == [{"a": 1}, "known"]


def test_the_rest_is_the_engines(client):
    assert client.list_event_source_mappings()["EventSourceMappings"] == [{"UUID": "u-1"}]
    with pytest.raises(ClientError, match="ResourceNotFoundException"):
        client.invoke(FunctionName="unknown", Payload=b"{}")
