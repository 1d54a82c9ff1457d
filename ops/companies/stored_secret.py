"""A secret that two operators may change at once: the slower one's change is redone on the new value.

A new version is stored beside the current one.  It becomes current only if the version it was
derived from is still current; otherwise nothing changes
(https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_UpdateSecretVersionStage.html).
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from botocore.exceptions import ClientError

from ops.session import OpsError, Session

TRIES = 10
CURRENT = "AWSCURRENT"
_CONFLICTS = frozenset({"InvalidParameterException", "InvalidRequestException"})
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class StoredSecret:
    """A JSON object in Secrets Manager.

    Attributes:
        name: the secret's name.
    """

    session: Session
    name: str

    def read(self) -> tuple[dict[str, Any], str | None]:
        """The object and its version; ({}, None) if the secret does not exist yet.

        Raises:
            OpsError: the secret is not a JSON object; overwriting it would lose its content.
        """
        client = self.session.client("secretsmanager")
        try:
            found = client.get_secret_value(SecretId=self.name)
        except client.exceptions.ResourceNotFoundException:
            return {}, None
        try:
            raw = json.loads(found["SecretString"])
        except (KeyError, ValueError):
            raw = None
        if not isinstance(raw, dict):
            raise OpsError(
                f"secret {self.name} is not a JSON object: repair it first; nothing was changed"
            )
        return raw, str(found["VersionId"])

    def edit(self, change: Callable[[dict[str, Any]], tuple[dict[str, Any], Result]]) -> Result:
        """Replace the object by what `change` makes of it; `change` runs again after a concurrent edit.

        Raises:
            OpsError: the secret is not a JSON object, or others kept changing it.
        """
        for _ in range(TRIES):
            before, version = self.read()
            after, result = change(before)
            if after == before or self._replace(json.dumps(after), version):
                return result
        raise OpsError("the keys kept changing while they were written: run it again")

    def _replace(self, text: str, version: str | None) -> bool:
        """Make a text the current version; False if another version became current first."""
        client = self.session.client("secretsmanager")
        if version is None:
            try:
                client.create_secret(Name=self.name, SecretString=text)
            except client.exceptions.ResourceExistsException:
                return False
            return True
        label = f"proposed-{secrets.token_hex(8)}"
        proposed = client.put_secret_value(
            SecretId=self.name, SecretString=text, VersionStages=[label]
        )
        made = str(proposed["VersionId"])
        try:
            client.update_secret_version_stage(
                SecretId=self.name,
                VersionStage=CURRENT,
                MoveToVersionId=made,
                RemoveFromVersionId=version,
            )
        except ClientError as error:
            if error.response.get("Error", {}).get("Code") not in _CONFLICTS:
                raise
            return False
        finally:  # a version without a label is deleted by AWS
            client.update_secret_version_stage(
                SecretId=self.name, VersionStage=label, RemoveFromVersionId=made
            )
        return True
