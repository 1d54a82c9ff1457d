"""The landing zone of a Fabric mirrored database: folders and files in OneLake over HTTP.

Vendor facts.  OneLake (learn.microsoft.com, fabric/onelake/onelake-access-api): the file system is the
workspace's id, and the path begins with the mirrored database's id; tokens are for Azure Storage.
The API (learn.microsoft.com, rest/api/storageservices/datalakestoragegen2, path/create, path/update and
path/delete): a file is created empty, appended to at a position, and flushed at its length; a PUT with
``x-ms-rename-source`` renames atomically, and with ``If-None-Match: *`` not onto a path that is there.
Publishing (learn.microsoft.com, fabric/mirroring/open-mirroring-best-practices): mirroring ignores names
that begin with an underscore, so a file is written under one and renamed when it is whole.

Every call can be repeated: each attempt writes a file under its own name, and only one file can be
renamed to a number.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import PurePosixPath
from urllib.parse import quote

from chalicelib.errors import PermanentError, TransientError
from chalicelib.once.ports import Clock
from chalicelib.vendors.http import Call, VendorClient
from chalicelib.vendors.http_answers import Expects, VendorAnswer

PROVIDER = "onelake"
SCOPE = "https://storage.azure.com/.default"
CALLS_PER_MINUTE = 600
_VERSION = {"x-ms-version": "2023-11-03"}
_NEVER_OVERWRITE = {"if-none-match": "*"}
_UNNAMED = re.compile("_[0-9a-f]{32}-.+")
"""Names under which `LandingZone.publish` writes."""
_TAKEN = frozenset({HTTPStatus.CONFLICT, HTTPStatus.PRECONDITION_FAILED})


@dataclass(frozen=True, slots=True, kw_only=True)
class LandingZone:
    """The folders and files in the landing zone of one mirrored database, over OneLake's HTTP API.

    Attributes:
        workspace_id: the workspace's GUID.
        database_id: the mirrored database's GUID.
    """

    client: VendorClient
    clock: Clock
    workspace_id: str
    database_id: str

    def exists(self, path: str, *, ends: float) -> bool:
        """Whether a file or folder exists in the landing zone.

        Args:
            path: within the landing zone, such as ``FactEvent/_metadata.json``.
            ends: the monotonic second at which the caller gives up.
        """
        call = Call(
            "look", "HEAD", self._url(path), True, headers=_VERSION, expects=Expects.NOTHING
        )
        try:
            self._send(call, ends)
        except _NotThereError:
            return False
        return True

    def names(self, folder: str, *, ends: float) -> frozenset[str] | None:
        """The names of a folder's files and folders; None where there is no such folder."""
        query = {
            "resource": "filesystem",
            "directory": self._path(folder),
            "recursive": "false",
        }
        found: set[str] = set()
        more = ""
        while True:
            page = query | ({"continuation": more} if more else {})
            call = Call("list", "GET", f"/{self._filesystem}", True, query=page, headers=_VERSION)
            try:
                answer = self._send(call, ends)
            except _NotThereError:
                return None
            listed = answer.json.get("paths")
            for path in listed if isinstance(listed, list) else ():
                found.add(PurePosixPath(str(path.get("name"))).name)
            more = answer.continuation
            if not more:
                return frozenset(found)

    def content(self, path: str, *, ends: float) -> bytes:
        """The bytes of a file in the landing zone."""
        call = Call("read", "GET", self._url(path), True, headers=_VERSION, expects=Expects.CONTENT)
        return self._send(call, ends).content

    def publish(self, path: str, body: bytes, *, ends: float) -> bool:
        """Write a file under a temporary name, then rename it to `path`; False where `path` exists."""
        folder, _, name = path.rpartition("/")
        written = f"{folder}/_{uuid.uuid4().hex}-{name.lstrip('_')}"
        self._put(written, {"resource": "file"}, {}, ends)
        self._patch(written, {"action": "append", "position": "0"}, body, ends)
        flush = {"action": "flush", "position": str(len(body)), "close": "true"}
        self._patch(written, flush, b"", ends)
        source = f"/{self._filesystem}/{quote(self._path(written))}"
        try:
            self._put(path, {}, {"x-ms-rename-source": source, **_NEVER_OVERWRITE}, ends)
        except _NameTakenError:
            return False
        return True

    def delete_temporary_files(self, folder: str, *, ends: float) -> None:
        """Delete a folder's temporary files, which `publish` wrote and has not renamed.

        A `publish` that is still running then fails when it renames its file.
        """
        for name in filter(_UNNAMED.fullmatch, self.names(folder, ends=ends) or ()):
            url = self._url(f"{folder}/{name}")
            call = Call("delete", "DELETE", url, True, headers=_VERSION, expects=Expects.NOTHING)
            with suppress(_NotThereError):
                self._send(call, ends)

    def make_folder(self, folder: str, *, ends: float) -> None:
        """Make a folder in the landing zone; an existing one stays unchanged."""
        try:
            self._put(folder, {"resource": "directory"}, _NEVER_OVERWRITE, ends)
        except _NameTakenError:
            return

    def _put(
        self, path: str, query: Mapping[str, str], headers: Mapping[str, str], ends: float
    ) -> None:
        operation = "rename" if "x-ms-rename-source" in headers else f"create_{query['resource']}"
        self._send(
            Call(
                operation,
                "PUT",
                self._url(path),
                is_repeatable=True,
                query=query,
                headers={**_VERSION, **headers},
                expects=Expects.NOTHING,
            ),
            ends,
        )

    def _patch(self, path: str, query: Mapping[str, str], body: bytes, ends: float) -> None:
        self._send(
            Call(
                query["action"],
                "PATCH",
                self._url(path),
                is_repeatable=True,
                query=query,
                headers=_VERSION,
                content=body,
                expects=Expects.NOTHING,
            ),
            ends,
        )

    def _send(self, call: Call, ends: float) -> VendorAnswer:
        """Send a call to OneLake.

        A permanent error is raised as a transient one: no row is at fault, and a later run may
        succeed.
        """
        try:
            return self.client.exchange(call, deadline_seconds=ends - self.clock.monotonic())
        except PermanentError as error:
            kind = TransientError
            if error.status == HTTPStatus.NOT_FOUND:
                kind = _NotThereError
            elif error.status in _TAKEN:
                kind = _NameTakenError
            raise kind.of(error) from None

    @property
    def _filesystem(self) -> str:
        return quote(self.workspace_id, safe="")

    def _path(self, path: str) -> str:
        return f"{self.database_id}/Files/LandingZone/{path}".rstrip("/")

    def _url(self, path: str) -> str:
        return f"/{self._filesystem}/{quote(self._path(path))}"


class _NotThereError(TransientError):
    """The path in the landing zone, or its folder, does not exist."""


class _NameTakenError(TransientError):
    """The path in the landing zone exists already."""
