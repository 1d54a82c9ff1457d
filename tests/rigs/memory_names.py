# ruff: noqa: N803 - the arguments have AWS's names
"""Clients of Secrets Manager and of SSM's parameters in memory: values by name, with their versions."""

import uuid
from datetime import UTC, datetime

from botocore.exceptions import ClientError

from local.stack.engine import REGION
from tests.rigs.memory_clients import ACCOUNT, Client, error

CURRENT = "AWSCURRENT"


class SecretsManager(Client):
    """Secrets in memory: the versions of each, and the version that each label names."""

    service = "secrets-manager"

    def __init__(self):
        super().__init__()
        self._secrets = {}

    def create_secret(self, *, Name, **value):
        if Name in self._secrets:
            raise error("ResourceExistsException", "CreateSecret", message=Name)
        self._secrets[Name] = {"values": {}, "labels": {}}
        return self.put_secret_value(SecretId=Name, **value)

    def put_secret_value(self, *, SecretId, VersionStages=(CURRENT,), **value):
        """Add a version, whose value is a `SecretString` or a `SecretBinary`."""
        secret, version = self._secret(SecretId), str(uuid.uuid4())
        secret["values"][version] = value
        for label in VersionStages:
            self._label(secret, label, version)
        return {**self._named(SecretId), "VersionId": version, "VersionStages": [*VersionStages]}

    def get_secret_value(self, *, SecretId, VersionStage=CURRENT):
        return self._value(SecretId, VersionStage)

    def _value(self, SecretId, VersionStage=CURRENT):
        secret = self._secret(SecretId)
        version = secret["labels"].get(VersionStage)
        if version is None:
            raise error("ResourceNotFoundException", "GetSecretValue", message=SecretId)
        return {**self._named(SecretId), **secret["values"][version], "VersionId": version}

    def batch_get_secret_value(self, *, SecretIdList):
        found, errors = [], []
        for name in SecretIdList:
            try:
                found.append(self._value(name))  # within this one call
            except ClientError as problem:
                errors.append({"SecretId": name, "ErrorCode": problem.response["Error"]["Code"]})
        return {"SecretValues": found, "Errors": errors}

    def describe_secret(self, *, SecretId):
        stages = {}
        for label, version in self._secret(SecretId)["labels"].items():
            stages.setdefault(version, []).append(label)
        return {**self._named(SecretId), "VersionIdsToStages": stages}

    def update_secret_version_stage(
        self, *, SecretId, VersionStage, MoveToVersionId=None, RemoveFromVersionId=None
    ):
        secret = self._secret(SecretId)
        if secret["labels"].get(VersionStage) != RemoveFromVersionId:
            raise error("InvalidParameterException", "UpdateSecretVersionStage", message=SecretId)
        if MoveToVersionId is None:
            secret["labels"].pop(VersionStage, None)
        else:
            self._label(secret, VersionStage, MoveToVersionId)
        return self._named(SecretId)

    def delete_secret(self, *, SecretId, **_how):
        self._secret(SecretId)
        del self._secrets[SecretId]
        return self._named(SecretId)

    @staticmethod
    def _label(secret, label, version):
        if label == CURRENT and CURRENT in secret["labels"]:
            secret["labels"]["AWSPREVIOUS"] = secret["labels"][CURRENT]
        secret["labels"][label] = version

    def _secret(self, name):
        if name not in self._secrets:
            raise error("ResourceNotFoundException", message=f"no secret {name}")
        return self._secrets[name]

    @staticmethod
    def _named(name):
        return {"ARN": f"arn:aws:secretsmanager:{REGION}:{ACCOUNT}:secret:{name}", "Name": name}


class Ssm(Client):
    """Parameters in memory, with their earlier values."""

    service = "ssm"

    def __init__(self):
        super().__init__()
        self._versions = {}

    def put_parameter(self, *, Name, Value, Type="String", Overwrite=False, Description=""):
        versions = self._versions.setdefault(Name, [])
        if versions and not Overwrite:
            raise error("ParameterAlreadyExists", "PutParameter", message=Name)
        versions.append(
            {
                "Name": Name,
                "Type": Type,
                "Value": Value,
                "Description": Description,
                "Version": len(versions) + 1,
                "LastModifiedDate": datetime.now(UTC),
                "LastModifiedUser": f"arn:aws:iam::{ACCOUNT}:root",
            }
        )
        return {"Version": len(versions)}

    def get_parameters(self, *, Names):
        known = [name for name in Names if name in self._versions]
        missing = [name for name in Names if name not in self._versions]
        return {
            "Parameters": [_shown(self._versions[name][-1]) for name in known],
            "InvalidParameters": missing,
        }

    def get_parameter(self, *, Name):
        return {"Parameter": _shown(self._history(Name)[-1])}

    def get_parameter_history(self, *, Name):
        return {"Parameters": [dict(version) for version in self._history(Name)]}

    def delete_parameter(self, *, Name):
        self._history(Name)
        del self._versions[Name]

    def _history(self, name):
        if name not in self._versions:
            raise error("ParameterNotFound", message=name)
        return self._versions[name]


def _shown(version):
    arn = f"arn:aws:ssm:{REGION}:{ACCOUNT}:parameter{version['Name']}"
    told_by_history = ("LastModifiedUser", "Description")
    return {**{k: v for k, v in version.items() if k not in told_by_history}, "ARN": arn}
