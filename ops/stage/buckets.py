"""Creates the buckets of a provisioned stage as a stack would: encrypted, private, tagged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from botocore.exceptions import ClientError

from ops.stage.provision import Clients, Made, OwnedByStackError
from ops.stage.template import StageTemplate

DEFAULT_REGION = "us-east-1"
"""S3 rejects a location constraint that names its default region."""


def create(clients: Clients, template: StageTemplate) -> Iterator[Made]:
    """Create missing buckets and update settings that differ; objects are never touched."""
    s3 = clients.client("s3")
    for resource in template.resources("AWS::S3::Bucket"):
        name = resource.properties["BucketName"]
        is_new = not _exists(s3, name)
        if is_new:
            s3.create_bucket(Bucket=name, **_location(s3.meta.region_name))
        else:
            _refuse_stack_owned(s3, name)
        changes = []
        for what, is_so, make_so in _settings(s3, name, resource.properties):
            if not is_so():
                make_so()
                changes.append(what)
        did = "created" if is_new else "updated" if changes else "unchanged"
        yield Made(resource.logical_id, name, did, () if is_new else tuple(changes))


def _settings(
    s3: Any,  # noqa: ANN401 - a boto3 client
    name: str,
    declared: Mapping[str, Any],
) -> Iterator[tuple[str, Callable[[], bool], Callable[[], object]]]:
    """Each setting: its name, a check that it is as declared, and a call that sets it."""
    (rule,) = declared["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    algorithm = rule["ServerSideEncryptionByDefault"]["SSEAlgorithm"]
    encryption = {
        "Rules": [{"ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": algorithm}}],
    }
    yield (
        "encryption",
        lambda: (
            algorithm
            in str(
                _current(s3.get_bucket_encryption, name).get("ServerSideEncryptionConfiguration")
            )
        ),
        lambda: s3.put_bucket_encryption(Bucket=name, ServerSideEncryptionConfiguration=encryption),
    )
    block = declared["PublicAccessBlockConfiguration"]
    yield (
        "public access",
        lambda: (
            _current(s3.get_public_access_block, name).get("PublicAccessBlockConfiguration")
            == block
        ),
        lambda: s3.put_public_access_block(Bucket=name, PublicAccessBlockConfiguration=block),
    )
    ownership = {"Rules": declared["OwnershipControls"]["Rules"]}
    yield (
        "ownership",
        lambda: (
            _current(s3.get_bucket_ownership_controls, name).get("OwnershipControls") == ownership
        ),
        lambda: s3.put_bucket_ownership_controls(Bucket=name, OwnershipControls=ownership),
    )
    tags = declared.get("Tags", [])
    yield (
        "tags",
        lambda: all(one in _current(s3.get_bucket_tagging, name).get("TagSet", []) for one in tags),
        lambda: s3.put_bucket_tagging(Bucket=name, Tagging={"TagSet": tags}),
    )


def _exists(s3: Any, name: str) -> bool:  # noqa: ANN401 - a boto3 client
    try:
        s3.head_bucket(Bucket=name)
    except ClientError as error:
        if error.response["ResponseMetadata"]["HTTPStatusCode"] != 404:  # noqa: PLR2004 - HTTP's own
            raise
        return False
    return True


def _refuse_stack_owned(s3: Any, name: str) -> None:  # noqa: ANN401 - a boto3 client
    tags = _current(s3.get_bucket_tagging, name).get("TagSet", [])
    if any(tag["Key"].startswith("aws:cloudformation:") for tag in tags):
        raise OwnedByStackError("a CloudFormation stack owns this stage's resources; deploy that")


def _location(region: str) -> dict[str, Any]:
    if region == DEFAULT_REGION:
        return {}
    return {"CreateBucketConfiguration": {"LocationConstraint": region}}


def _current(operation: Callable[..., dict[str, Any]], name: str) -> dict[str, Any]:
    """A setting of a bucket; empty if it was never set, to which S3 responds 404."""
    try:
        return operation(Bucket=name)
    except ClientError as error:
        if error.response["ResponseMetadata"]["HTTPStatusCode"] != 404:  # noqa: PLR2004 - HTTP's own
            raise
        return {}
