"""A request as API Gateway hands it to the function behind the routes."""

import base64
from types import ModuleType
from typing import Any

from local.stack.lambda_events import LambdaContext


def posted(app: ModuleType, path: str, body: str, headers: dict[str, str]) -> int:
    """Post a body to a route of the app; returns the status of the response."""
    sent = {"content-type": "application/json", **headers}
    return int(app.app(event("POST", path, body.encode(), sent), LambdaContext())["statusCode"])


def event(
    method: str,
    resource: str,
    body: bytes,
    headers: dict[str, str] | None,
    *,
    query: dict[str, list[str]] | None = None,
    address: str = "127.0.0.1",
    **parameters: str,
) -> dict[str, Any]:
    """The event of a request; a body that is not UTF-8 comes in base64, as a binary one does.

    Args:
        method: the HTTP method.
        resource: the route, e.g. ``/conversations/{request_id}``.
        body: as it was sent.
        headers: one value per name.
        query: the values of each name.
        address: the caller's.
        parameters: those of the route's path.
    """
    try:
        text, is_base64 = body.decode(), False
    except UnicodeDecodeError:
        text, is_base64 = base64.b64encode(body).decode(), True
    return {
        "requestContext": {
            "httpMethod": method,
            "resourcePath": resource,
            "identity": {"sourceIp": address},
            "path": resource.format(**parameters) if parameters else resource,
        },
        "headers": headers,
        "multiValueQueryStringParameters": query,
        "pathParameters": parameters,
        "stageVariables": None,
        "body": text,
        "isBase64Encoded": is_base64,
    }
