"""The AWS account of the environment's credentials: a real one, or the local engine's."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

if TYPE_CHECKING:
    from collections.abc import Callable

_CONFIG = Config(read_timeout=120, retries={"mode": "standard", "total_max_attempts": 6})
_GONE = ("NoSuchEntity", "ResourceNotFoundException", "NoSuchBucket")


@dataclass
class Account:
    """Clients with the caller's credentials."""

    _clients: dict[str, Any] = field(default_factory=dict, repr=False)

    def client(self, service: str) -> Any:  # noqa: ANN401 - boto3 builds clients at run time
        """A boto3 client, built once."""
        if service not in self._clients:
            self._clients[service] = boto3.client(service, config=_CONFIG)
        return self._clients[service]

    @cached_property
    def number(self) -> str:
        """The account's twelve digits."""
        return str(self.client("sts").get_caller_identity()["Account"])

    @property
    def region(self) -> str:
        """The account's region in the environment."""
        return str(self.client("sts").meta.region_name)

    @property
    def is_local(self) -> bool:
        """Whether the account is a local engine's."""
        return str(self.client("sts").meta.endpoint_url).startswith("http://127.")

    def gone(self, delete: Callable[..., object], **arguments: Any) -> None:  # noqa: ANN401 - of the call
        """Call a deletion; ignore that the resource does not exist."""
        try:
            delete(**arguments)
        except ClientError as error:
            if error.response["Error"]["Code"] not in _GONE:
                raise
