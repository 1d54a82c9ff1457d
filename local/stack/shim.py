"""Starts MiniStack extended by what deployments need of API Gateway and CloudFormation.

Chalice describes its routes in a Swagger document and sends it by ``ImportRestApi`` (``POST
/restapis?mode=import``) and, the next time, ``PutRestApi`` (``PUT /restapis/<id>``).  MiniStack
handles such documents only from CloudFormation; here both calls use the same code.  Chalice
disables compression by an empty size, which MiniStack would return as a number.  MiniStack's
CloudFormation lacks composite alarms and tables' TTL; here it makes both.  The module also runs
under the interpreter of `.venv-sam`, so it imports nothing from this project.
"""

import json
from typing import Any

from ministack import app
from ministack.services import apigateway_v1 as gateway
from ministack.services import cloudwatch, dynamodb
from ministack.services.cloudformation import provisioners

_known = gateway.handle_request


async def handle_request(
    method: str, path: str, headers: dict[str, str], body: bytes, query_params: dict[str, Any]
) -> Any:  # noqa: ANN401 - MiniStack's own answer
    """MiniStack's API Gateway handler, extended by Chalice's calls."""
    parts = path.strip("/").split("/")
    if parts[0] == "restapis" and (method, len(parts)) == ("PUT", 2):
        _replace_routes(parts[1], json.loads(body))
        return await _known("GET", f"/restapis/{parts[1]}", headers, b"", {})
    if parts == ["restapis"] and method == "POST" and _one(query_params, "mode") == "import":
        kind = _one(query_params, "endpointConfigurationTypes")
        endpoint = {"endpointConfiguration": {"types": [kind]}} if kind else None
        api_id = gateway._import_rest_api(json.loads(body), endpoint)  # noqa: SLF001
        return await _known("GET", f"/restapis/{api_id}", headers, b"", {})
    if parts[0] == "restapis" and (method, len(parts)) == ("PATCH", 2):
        body = _without_empty_values(json.loads(body))
    return await _known(method, path, headers, body, query_params)


def _without_empty_values(change: dict[str, Any]) -> bytes:
    kept = [
        operation for operation in change.get("patchOperations", []) if operation.get("value") != ""
    ]
    return json.dumps({**change, "patchOperations": kept}).encode()


def _replace_routes(api_id: str, document: dict[str, Any]) -> None:
    """Replace all routes under the root by those of the document."""
    resources = gateway._resources[api_id]  # noqa: SLF001
    for key, resource in list(resources.items()):
        if resource["path"] == "/":
            resource["resourceMethods"] = {}
        else:
            del resources[key]
    schemes = gateway._import_security_schemes(api_id, document)  # noqa: SLF001
    for route, item in document.get("paths", {}).items():
        gateway._import_path_item(api_id, route, item, schemes, document.get("security"))  # noqa: SLF001


_create_table = provisioners._RESOURCE_HANDLERS["AWS::DynamoDB::Table"]["create"]  # noqa: SLF001


def create_table(
    logical_id: str, properties: dict[str, Any], stack: str
) -> tuple[str, dict[str, str]]:
    """Create a table as MiniStack does, and set its TTL."""
    made: tuple[str, dict[str, str]] = _create_table(logical_id, properties, stack)
    ttl = properties.get("TimeToLiveSpecification", {})
    if ttl:
        setting = {"TimeToLiveStatus": "ENABLED", "AttributeName": ttl["AttributeName"]}
        dynamodb._ttl_settings[made[0]] = setting  # noqa: SLF001
    return made


def create_composite(
    _logical_id: str, properties: dict[str, Any], _stack: str
) -> tuple[str, dict[str, str]]:
    """Make a composite alarm; its physical id is its name."""
    name = properties["AlarmName"]
    status, _, body = cloudwatch._put_composite_alarm({}, properties, False, is_json=True)  # noqa: SLF001
    if status != 200:  # noqa: PLR2004 - HTTP's own
        raise ValueError(json.loads(body)["message"])
    return name, {"Arn": cloudwatch._composite_alarms[name]["AlarmArn"]}  # noqa: SLF001


def update_composite(
    _physical_id: str, _old: dict[str, Any], properties: dict[str, Any], stack: str
) -> tuple[str, dict[str, str]]:
    """Replace a composite alarm, by the call that creates one."""
    return create_composite("", properties, stack)


def delete_composite(physical_id: str, _properties: dict[str, Any]) -> None:
    """Remove a composite alarm."""
    cloudwatch._composite_alarms.pop(physical_id, None)  # noqa: SLF001


def _one(query_params: dict[str, Any], name: str) -> str | None:
    found = (query_params or {}).get(name)
    return found[0] if isinstance(found, list) else found


def main() -> None:
    """Run the engine."""
    gateway.handle_request = handle_request
    provisioners._RESOURCE_HANDLERS["AWS::DynamoDB::Table"]["create"] = create_table  # noqa: SLF001
    provisioners._RESOURCE_HANDLERS["AWS::CloudWatch::CompositeAlarm"] = {  # noqa: SLF001
        "create": create_composite,
        "update": update_composite,
        "delete": delete_composite,
    }
    app.main()


if __name__ == "__main__":
    main()
