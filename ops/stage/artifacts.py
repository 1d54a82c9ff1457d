"""The bucket of a stage's artifacts: packaged code, and Chalice's record of what it deployed.

Without that record `chalice deploy` on a second machine would make a second API beside the first;
so the record is kept where the whole team reads it, and every version of it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from botocore.exceptions import ClientError

from ops.session import Session
from ops.stage.provision import Clients, Made

DEFAULT_REGION = "us-east-1"
"""S3 rejects a location constraint that names its default region."""
_PRIVATE = {
    "BlockPublicAcls": True,
    "BlockPublicPolicy": True,
    "IgnorePublicAcls": True,
    "RestrictPublicBuckets": True,
}


def name(stage: str, account: str, region: str) -> str:
    """The bucket of a stage: who deploys one stage reads and writes no other's code."""
    return f"rp-mw-artifacts-{stage}-{account}-{region}"


def of(session: Session) -> str:
    """The bucket of a session's stage."""
    region = session.client("s3").meta.region_name
    return name(session.stage, session.identity.account, region)


def exists(clients: Clients, bucket: str) -> bool:
    """Whether the account has the bucket."""
    try:
        clients.client("s3").head_bucket(Bucket=bucket)
    except ClientError as error:
        if _status(error) != 404:  # noqa: PLR2004 - HTTP's own
            raise
        return False
    return True


def create(clients: Clients, bucket: str) -> Made:
    """Create the bucket where it is missing: private, encrypted by S3's own key, versioned."""
    s3 = clients.client("s3")
    is_new = not exists(clients, bucket)
    if is_new:
        region = s3.meta.region_name
        where = {"CreateBucketConfiguration": {"LocationConstraint": region}}
        s3.create_bucket(Bucket=bucket, **({} if region == DEFAULT_REGION else where))
    s3.put_public_access_block(Bucket=bucket, PublicAccessBlockConfiguration=_PRIVATE)
    s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    return Made("Artifacts", bucket, "created" if is_new else "unchanged")


def record(s3: Any, bucket: str, stage: str) -> str | None:  # noqa: ANN401 - a boto3 client
    """Chalice's record of a stage as it was kept last; None where none was."""
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
    """Where Chalice keeps its record on a machine."""
    return project / ".chalice" / "deployed" / f"{stage}.json"


def _key(stage: str) -> str:
    return f"deployed/{stage}.json"


def _status(error: ClientError) -> int:
    return int(error.response["ResponseMetadata"]["HTTPStatusCode"])
