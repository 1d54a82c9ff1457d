"""A region that AWS does not have is refused, whatever answers at the endpoint."""

import re

import boto3
import pytest

from ops import regions
from ops.session import OpsError


@pytest.mark.parametrize(
    ("typed", "nearest"),
    [("us-east-1a", "us-east-1"), ("US-EAST-1", "us-east-1"), ("eu-nowhere-9", "eu-north-1")],
)
def test_a_region_that_there_is_not_is_refused_with_the_nearest(monkeypatch, typed, nearest):
    monkeypatch.setenv("AWS_DEFAULT_REGION", typed)
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", None)
    with pytest.raises(OpsError, match=f"no region {typed}; the nearest is {nearest}: "):
        regions.refuse_unknown()


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("frankfurt", "; Europe (Frankfurt) is eu-central-1"),
        ("Ireland", "; Europe (Ireland) is eu-west-1"),
        ("us east", "; US East (N. Virginia) is us-east-1, US East (Ohio) is us-east-2"),
        ("nowhere", ""),
    ],
)
def test_a_place_is_answered_with_its_region_and_never_with_any(monkeypatch, typed, meant):
    monkeypatch.setenv("AWS_DEFAULT_REGION", typed)
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", None)
    said = f"AWS has no region {typed}{meant}: set AWS_DEFAULT_REGION"
    with pytest.raises(OpsError, match=re.escape(said)):
        regions.refuse_unknown()


@pytest.mark.parametrize("name", ["us-east-1", "eu-west-3", "cn-north-1", "us-gov-west-1"])
def test_every_partition_of_aws_is_known(monkeypatch, name):
    monkeypatch.setenv("AWS_DEFAULT_REGION", name)
    regions.refuse_unknown()
