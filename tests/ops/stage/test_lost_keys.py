"""A missing key of the ids is not replaced while rows have ids that were made with it."""

import pytest

from ops.stage import lost_keys
from tests.rigs.ops_cli import runner

IDS = "rp-mw/dev/keys/ids"


@pytest.fixture
def run(system, capsys):
    del system
    return runner(capsys)


def test_an_empty_stage_gets_a_key_and_rows_forbid_another(system, run):
    secrets = system.stage.aws.client("secretsmanager")
    secrets.delete_secret(SecretId=IDS, ForceDeleteWithoutRecovery=True)
    assert run("keys", "rotate", "ids", "--yes").code == 0
    row = {"event_id": {"S": "evt:rp:1042:c-1"}}
    system.stage.aws.client("dynamodb").put_item(TableName="rp_mw_idempotency-dev", Item=row)
    secrets.delete_secret(SecretId=IDS, ForceDeleteWithoutRecovery=True)
    assert lost_keys.restoring(secrets, IDS) == ""
    refused = run("keys", "rotate", "ids", "--yes")
    assert refused.code == 1
    for named in ("no STOP would be known", "restore-secret --secret-id", "--accept-loss"):
        assert named in refused.err
    assert run("keys", "rotate", "ids", "--accept-loss", "--yes").code == 0
