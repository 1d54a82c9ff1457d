"""Which role reads which key is what the page says, in the policies and in nothing else."""

import re
from datetime import timedelta
from pathlib import Path

import pytest

from chalicelib.once.keyring import VERIFIES_FOR, KeyPurpose
from chalicelib.once.later import MAX_DELAY_SECONDS
from chalicelib.outreach.conversations import parcels
from console.pages import shared
from ops import roles
from ops.stage.template import StageTemplate
from tests.rigs.iam.stage_roles import managed
from tests.rigs.policies import POLICIES, grants

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "security-operators.md").read_text()
ROW = re.compile(r"^\| `([a-z_]+)` \| [^|]+ \| ([a-z, -]+) \| ([^|]+) \|$", re.MULTILINE)
KEYS = re.compile(r"secret:rp-mw/dev/keys/(.+)-\?{6}$")
TABLE = {
    name: (set(read_by.split(", ")), life.strip())
    for name, read_by, life in ROW.findall(PAGE[PAGE.index("## The keyring") :])
}
PEOPLE = {
    "viewer": {KeyPurpose.IDS},
    "operator": {KeyPurpose.JOBS, KeyPurpose.SHARE},
    "administrator": set(KeyPurpose),
}
"""What each role's own policy adds to those of the roles before it."""


def statements(role):
    for policy in roles.POLICIES[role]:
        yield from managed("dev")[f"rp-mw-dev-{policy}"]["Statement"]


def purposes_in(resources):
    for resource in resources:
        if resource.endswith((":secret:rp-mw/dev/keys/*", ":secret:rp-mw/dev/*")):
            yield from KeyPurpose
        elif found := KEYS.search(resource):
            yield KeyPurpose(found[1])


def test_the_page_names_every_purpose_and_its_life():
    assert TABLE.keys() == set(KeyPurpose)
    for purpose, (_, life) in TABLE.items():
        known = VERIFIES_FOR.get(KeyPurpose(purpose))
        assert life == (f"{known.days} days" if known else "has no successor")


@pytest.mark.parametrize("function", POLICIES)
def test_a_role_reads_the_keys_that_the_page_names_and_no_other(function):
    granted = set(grants(POLICIES[function], "dev"))
    reads = [grant.resource for grant in granted if grant.action == "secretsmanager:GetSecretValue"]
    named = {purpose for purpose in TABLE if function in TABLE[purpose][0]}
    assert set(purposes_in(reads)) == named
    may_read_at_once = "secretsmanager:BatchGetSecretValue" in {grant.action for grant in granted}
    assert may_read_at_once == (KeyPurpose.IDS in named)


@pytest.mark.parametrize("role", PEOPLE)
def test_a_person_reads_the_keys_of_their_role(role):
    reads = [
        resource
        for statement in statements(role)
        if statement["Effect"] == "Allow" and "secretsmanager:GetSecretValue" in statement["Action"]
        for resource in statement["Resource"]
    ]
    assert set(purposes_in(reads)) == PEOPLE[role]


def test_no_role_may_write_or_delete_the_key_of_the_ids():
    refused = {
        action
        for statement in statements("administrator")
        if statement["Effect"] == "Deny"
        and set(purposes_in(statement["Resource"])) == {KeyPurpose.IDS}
        for action in statement["Action"]
    }
    writes = {
        f"secretsmanager:{verb}"
        for verb in ("DeleteSecret", "PutSecretValue", "UpdateSecret", "UpdateSecretVersionStage")
    }
    assert refused == writes
    for role in ("viewer", "operator"):
        given = {action for statement in statements(role) for action in statement["Action"]}
        assert not given & writes


def test_a_key_verifies_as_long_as_what_it_signed_may_come():
    template = StageTemplate.load("dev", account="1" * 12, region="us-east-1")
    kept = {
        resource.properties["QueueName"]: int(resource.properties["MessageRetentionPeriod"])
        for resource in template.resources("AWS::SQS::Queue")
        if "MessageRetentionPeriod" in resource.properties
    }
    waits = 2 * timedelta(seconds=max(kept.values())) + timedelta(seconds=MAX_DELAY_SECONDS)
    assert VERIFIES_FOR[KeyPurpose.JOBS] >= max(waits, parcels.KEPT)
    assert VERIFIES_FOR[KeyPurpose.SHARE] >= shared.LASTS
