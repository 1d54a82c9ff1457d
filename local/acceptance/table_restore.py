"""The acceptance's restore: brings the ledger back under its own name, as in docs/restoring.md."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Any

from local.acceptance.beginning import RECOVERY
from local.acceptance.stage_day import HAPPENS_SECONDS, SWITCHES_SECONDS, AcceptanceError, StageDay
from local.deploy.deployment import wait_for

TABLE_SECONDS = 3600.0
TABLE_WAITS = {"Delay": 20, "MaxAttempts": 180}
"""An hour: a restore takes as long as the table's partitions need."""


def restore(day: StageDay) -> str:
    """Restore the ledger as the page says; no effect may be repeated."""
    dynamodb, then = day.account.client("dynamodb"), f"{day.ledger}-then"
    day.ops("switch", "set", "shadow_mode", "true")
    wait_for(lambda: _latest(dynamodb, day.ledger), "a time to restore to", TABLE_SECONDS)
    backup = _latest(dynamodb, day.ledger)
    dynamodb.restore_table_to_point_in_time(
        SourceTableName=day.ledger, TargetTableName=then, RestoreDateTime=backup
    )
    _exists(dynamodb, then)
    made = dynamodb.create_backup(TableName=then, BackupName=then)["BackupDetails"]["BackupArn"]
    wait_for(lambda: _is_available(dynamodb, made), "the backup", HAPPENS_SECONDS)
    dynamodb.update_table(TableName=day.ledger, DeletionProtectionEnabled=False)
    _exists(dynamodb, day.ledger)
    dynamodb.delete_table(TableName=day.ledger)
    dynamodb.get_waiter("table_not_exists").wait(TableName=day.ledger, WaiterConfig=TABLE_WAITS)
    dynamodb.restore_table_from_backup(BackupArn=made, TargetTableName=day.ledger)
    _exists(dynamodb, day.ledger)
    table = dynamodb.update_table(TableName=day.ledger, DeletionProtectionEnabled=True)
    dynamodb.tag_resource(
        ResourceArn=table["TableDescription"]["TableArn"],
        Tags=[{"Key": "stage", "Value": day.stage}],
    )
    dynamodb.update_time_to_live(
        TableName=day.ledger,
        TimeToLiveSpecification={"Enabled": True, "AttributeName": "expires_at"},
    )
    dynamodb.update_continuous_backups(
        TableName=day.ledger, PointInTimeRecoverySpecification=RECOVERY
    )
    dynamodb.delete_backup(BackupArn=made)
    dynamodb.delete_table(TableName=then)
    at = datetime.fromtimestamp(backup, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    day.ops("restore", "--at", at, "--yes")
    wait_for(lambda: _is_released(day, at), "a sweep that queues nothing", HAPPENS_SECONDS)
    time.sleep(SWITCHES_SECONDS)
    return f"as of {at}, completed and released"


def _exists(dynamodb: Any, table: str) -> None:  # noqa: ANN401 - a boto3 client
    dynamodb.get_waiter("table_exists").wait(TableName=table, WaiterConfig=TABLE_WAITS)


def _is_released(day: StageDay, at: str) -> bool:
    """Reconcile once more, and try to release the stage; return whether it was released."""
    day.ops("reconcile", "--since", "48h", "--yes")
    try:
        day.ops("restore", "--at", at, "--release", "--yes")
    except AcceptanceError as error:
        if "not released" not in str(error):
            raise
        return False
    return True


def _latest(dynamodb: Any, table: str) -> float:  # noqa: ANN401 - a boto3 client
    """The latest epoch second that a table can be restored to; 0 while there is none."""
    found = dynamodb.describe_continuous_backups(TableName=table)["ContinuousBackupsDescription"]
    recovery = found["PointInTimeRecoveryDescription"]
    until, since = (recovery.get(f"{end}RestorableDateTime") for end in ("Latest", "Earliest"))
    return float(until.timestamp()) if until and since and until >= since else 0.0


def _is_available(dynamodb: Any, backup: str) -> bool:  # noqa: ANN401 - a boto3 client
    found = dynamodb.describe_backup(BackupArn=backup)["BackupDescription"]["BackupDetails"]
    return bool(found["BackupStatus"] == "AVAILABLE")
