"""A request as API Gateway hands it to the function behind the routes."""

from types import ModuleType
from typing import Any

from local.stack.lambda_events import Context


def posted(app: ModuleType, path: str, body: str, headers: dict[str, str]) -> int:
    """Post a body to a route of the app; returns the status of the response."""
    event: dict[str, Any] = {
        "requestContext": {
            "httpMethod": "POST",
            "resourcePath": path,
            "identity": {"sourceIp": "127.0.0.1"},
            "path": path,
        },
        "headers": {"content-type": "application/json", **headers},
        "multiValueQueryStringParameters": None,
        "pathParameters": {},
        "stageVariables": None,
        "body": body,
        "isBase64Encoded": False,
    }
    return int(app.app(event, Context())["statusCode"])
