"""The bucket of a stage's artifacts: packaged code, and Chalice's record of what it deployed.

Without that record `chalice deploy` on a second machine would make a second API.  So the team
shares the record, in every version.  The access stack declares the bucket.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from botocore.exceptions import ClientError


def name(stage: str, account: str, region: str) -> str:
    """The name of a stage's bucket: each stage has one, so that its deployers reach no other stage's code."""
    return f"rp-mw-artifacts-{stage}-{account}-{region}"


def record(s3: Any, bucket: str, stage: str) -> str | None:  # noqa: ANN401 - a boto3 client
    """Chalice's newest kept record of a stage, as JSON text; None if there is none."""
    try:
        found = s3.get_object(Bucket=bucket, Key=_key(stage))["Body"].read()
    except ClientError as error:
        if _status(error) != 404:  # noqa: PLR2004 - HTTP's own
            raise
        return None
    return str(found.decode())


def keep_record(s3: Any, bucket: str, stage: str, text: str) -> None:  # noqa: ANN401 - a boto3 client
    """Keep Chalice's record of a stage."""
    s3.put_object(Bucket=bucket, Key=_key(stage), Body=text.encode())


def record_file(project: Path, stage: str) -> Path:
    """The file in which Chalice keeps its record on a machine."""
    return project / ".chalice" / "deployed" / f"{stage}.json"


def _key(stage: str) -> str:
    return f"deployed/{stage}.json"


def _status(error: ClientError) -> int:
    return int(error.response["ResponseMetadata"]["HTTPStatusCode"])
