"""Resolves the CloudFormation functions that the stage's templates use, to compare them with AWS.

Supported: ``Ref``, ``Fn::Sub``, ``Fn::If``, ``Fn::Equals``, ``Fn::Not``, ``Fn::And``, ``Fn::Or``,
``Fn::Join``, ``Fn::GetAtt`` of an ``Arn``, ``Fn::FindInMap``, conditions on resources, and
``AWS::NoValue``.  Anything else raises, so that no declaration is silently ignored.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chalicelib.settings import SYSTEMS
from ops.stage import config

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

TEMPLATE = Path(__file__).resolve().parents[2] / ".chalice" / "resources.json"
"""The data stack's template; beside it are those of the functions and the access stack."""
FUNCTIONS = TEMPLATE.with_name("functions.json")
ALARM_TOPIC = "AlarmTopic"
"""The alarm topic's logical id; its subscribers are notified of alarms only, never of mail."""
COMPOSITE = "AWS::CloudWatch::CompositeAlarm"

_PLACEHOLDER = re.compile(r"\$\{([^!][^}]*)\}")
_NO_VALUE = object()
NAMES = {
    "AWS::CloudWatch::Alarm": "AlarmName",
    COMPOSITE: "AlarmName",
    "AWS::IAM::ManagedPolicy": "ManagedPolicyName",
    "AWS::IAM::Role": "RoleName",
    "AWS::DynamoDB::Table": "TableName",
    "AWS::SQS::Queue": "QueueName",
    "AWS::SNS::Topic": "TopicName",
    "AWS::S3::Bucket": "BucketName",
    "AWS::SES::ConfigurationSet": "Name",
}
"""The property that names a resource, by its type."""
_ARNS = {
    "AWS::DynamoDB::Table": "arn:aws:dynamodb:{region}:{account}:table/{name}",
    "AWS::IAM::ManagedPolicy": "arn:aws:iam::{account}:policy/{name}",
    "AWS::IAM::Role": "arn:aws:iam::{account}:role/{name}",
    "AWS::S3::Bucket": "arn:aws:s3:::{name}",
    "AWS::SNS::Topic": "arn:aws:sns:{region}:{account}:{name}",
    "AWS::SQS::Queue": "arn:aws:sqs:{region}:{account}:{name}",
}

_REFERRED_BY_ARN = frozenset({"AWS::IAM::ManagedPolicy", "AWS::SNS::Topic"})


class StageTemplateError(Exception):
    """The template uses something that is not supported here, or cannot be applied."""


@dataclass(frozen=True, slots=True)
class Resource:
    """One resource with its intrinsic functions resolved."""

    logical_id: str
    type: str
    properties: Mapping[str, Any]


def parameters(stage: str) -> dict[str, str]:
    """The data stack's parameters, from `.chalice/config.json`.

    They say which systems the stage runs, and which identities send its e-mails.
    """
    mine = config.systems(stage)
    values = {system.capitalize(): str(system in mine).lower() for system in SYSTEMS}
    identities = config.configured(stage).get("SENDER_IDENTITIES")
    if identities:
        values["SenderIdentities"] = identities
    return {"Stage": stage, **values}


class StageTemplate:
    """A CloudFormation template with the parameters of one stage.

    Args:
        raw: the parsed JSON.
        parameters: parameter values; the others get their defaults.
        account: the account in ARNs.
        region: the region in ARNs.
    """

    def __init__(
        self, raw: Mapping[str, Any], parameters: Mapping[str, str], *, account: str, region: str
    ) -> None:
        self._raw = raw
        self._values = {"AWS::AccountId": account, "AWS::Region": region, "AWS::Partition": "aws"}
        for name, declared in raw.get("Parameters", {}).items():
            if "Default" in declared:
                self._values[name] = str(declared["Default"])
        self._values.update(parameters)
        self._lists = {
            name
            for name, declared in raw.get("Parameters", {}).items()
            if declared.get("Type") == "CommaDelimitedList"
        }

    @classmethod
    def load(cls, stage: str, *, account: str, region: str, path: Path = TEMPLATE) -> StageTemplate:
        """Load the data and functions templates of a stage as one."""
        raw = json.loads(path.read_text())
        functions = json.loads(FUNCTIONS.read_text())
        for part in ("Parameters", "Conditions", "Resources"):
            raw[part] = {**functions[part], **raw[part]}
        return cls(raw, parameters(stage), account=account, region=region)

    @property
    def stage(self) -> str:
        """The stage of this template."""
        return self._values["Stage"]

    @property
    def metadata(self) -> Mapping[str, Any]:
        """``Metadata``, unresolved."""
        metadata: Mapping[str, Any] = self._raw.get("Metadata", {})
        return metadata

    def resources(self, *types: str) -> Iterator[Resource]:
        """Resources of the given types whose condition holds, in the order of the file.

        Entries without a type only add to what Chalice generates and are skipped.
        """
        for logical_id, resource in self._raw["Resources"].items():
            if resource.get("Type") not in types:
                continue
            if "Condition" in resource and not self._condition(resource["Condition"]):
                continue
            properties = self.resolved(resource.get("Properties", {}))
            yield Resource(logical_id, resource["Type"], properties)

    def to_deploy(self, path: Path = TEMPLATE) -> dict[str, Any]:
        """A template to deploy: resources that outlive the stack have literal names.

        CloudFormation re-imports a resource only by a literal name:
        https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/import-resources-automatically.html
        """
        return self.written_out(json.loads(path.read_text()))

    def written_out(self, raw: dict[str, Any]) -> dict[str, Any]:
        """Write out the names of resources that outlive the stack, in `raw` itself; idempotent."""
        for resource in raw["Resources"].values():
            name = NAMES.get(resource["Type"])
            if name and resource.get("DeletionPolicy") == "RetainExceptOnCreate":
                resource["Properties"][name] = self.resolved(resource["Properties"][name])
        return raw

    def functions(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """The properties added to each function that Chalice generates, by function name."""
        for resource in self._raw["Resources"].values():
            if "Type" not in resource:
                name = self.resolved(resource["Properties"]["FunctionName"])
                yield name, self.resolved(resource["Properties"])

    def resolved(self, value: Any) -> Any:  # noqa: ANN401 - JSON in, JSON out
        """A JSON value with its intrinsic functions replaced by their results."""
        if isinstance(value, list):
            return [part for part in map(self.resolved, value) if part is not _NO_VALUE]
        if not isinstance(value, dict):
            return value
        if len(value) == 1:
            ((name, argument),) = value.items()
            if name in ("Ref", "Condition") or name.startswith("Fn::"):
                return self._call(name, argument)
        found = {name: self.resolved(part) for name, part in value.items()}
        return {name: part for name, part in found.items() if part is not _NO_VALUE}

    def _call(self, name: str, argument: Any) -> Any:  # noqa: ANN401 - JSON in, JSON out
        match name:
            case "Ref":
                return self._ref(argument)
            case "Condition":
                return self._condition(argument)
            case "Fn::Sub":
                return self._sub(argument)
            case "Fn::If":
                condition, then, otherwise = argument
                return self.resolved(then if self._condition(condition) else otherwise)
            case "Fn::Equals":
                left, right = self.resolved(argument)
                return str(left) == str(right)
            case "Fn::Not":
                return not self.resolved(argument)[0]
            case "Fn::And":
                return all(self.resolved(argument))
            case "Fn::Or":
                return any(self.resolved(argument))
            case "Fn::Join":
                separator, parts = argument
                return separator.join(str(part) for part in self.resolved(parts))
            case "Fn::FindInMap":
                table, row, column = self.resolved(argument)
                return self._raw["Mappings"][table][row][column]
            case "Fn::GetAtt":
                parts = argument.split(".") if isinstance(argument, str) else argument
                return self._attribute(*parts)
        raise StageTemplateError(f"{name} is not supported here")

    def _condition(self, name: str) -> bool:
        return bool(self.resolved(self._raw["Conditions"][name]))

    def _ref(self, name: str) -> Any:  # noqa: ANN401 - a string or the mark of no value
        if name == "AWS::NoValue":
            return _NO_VALUE
        if name in self._lists:
            return [item.strip() for item in self._values[name].split(",")]
        if name in self._values:
            return self._values[name]
        if self._raw["Resources"].get(name, {}).get("Type") in _REFERRED_BY_ARN:
            return self._attribute(name, "Arn")
        if name in self._raw["Resources"]:
            return self._name_of(name)
        raise StageTemplateError(f"Ref names {name}, which the template does not have")

    def _sub(self, argument: Any) -> str:  # noqa: ANN401 - a string, or a string and its variables
        text, local = (argument, {}) if isinstance(argument, str) else argument

        def replaced(match: re.Match[str]) -> str:
            name = match[1]
            if name in local:
                return str(self.resolved(local[name]))
            if "." in name:
                return str(self._attribute(*name.split(".", 1)))
            return str(self._ref(name))

        return _PLACEHOLDER.sub(replaced, text).replace("${!", "${")

    def _name_of(self, logical_id: str) -> str:
        resource = self._raw["Resources"][logical_id]
        if resource.get("Type") not in NAMES:
            raise StageTemplateError(f"the name of {logical_id} is not known here")
        return str(self.resolved(resource["Properties"][NAMES[resource["Type"]]]))

    def _attribute(self, logical_id: str, attribute: str) -> str:
        kind = self._raw["Resources"].get(logical_id, {}).get("Type")
        if attribute != "Arn" or kind not in _ARNS:
            raise StageTemplateError(f"{logical_id}.{attribute} is not known here")
        return _ARNS[kind].format(
            name=self._name_of(logical_id),
            region=self._values["AWS::Region"],
            account=self._values["AWS::AccountId"],
        )
