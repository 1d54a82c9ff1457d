"""Checks that the environment and the declared resources name the same tables.

`.chalice` declares tables and policies with their names.  A variable with another name would give a
function a table that it may not use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from chalicelib.settings import Settings
from ops.stage.template import StageTemplate, StageTemplateError


def refuse_other_names(template: StageTemplate, settings: Settings) -> None:
    """Refuse a table's name in the environment that differs from the declared name.

    Other names are useful only where nothing is declared, such as on a local engine.

    Raises:
        StageTemplateError: names the variable and both names.
    """
    for resource in template.resources("AWS::DynamoDB::Table"):
        declared = resource.properties["TableName"]
        variable, name = _TABLES[resource.logical_id](settings)
        if name != declared:
            raise StageTemplateError(
                f"{variable} is {name}, but the table and the functions' permissions are declared"
                f" as {declared}: change .chalice/config.json back"
            )


_TABLES: Mapping[str, Callable[[Settings], tuple[str, str]]] = {
    "IdempotencyTable": lambda settings: ("IDEMPOTENCY_TABLE_NAME", settings.idempotency_table),
    "ConversationStateTable": lambda settings: (
        "CONVERSATION_STATE_TABLE_NAME",
        settings.state_table,
    ),
    "AuditActionsTable": lambda settings: ("AUDIT_TRAIL_TABLE_NAME", settings.audit_table),
    "ConversationsTable": lambda settings: (
        "CONVERSATIONS_TABLE_NAME",
        settings.conversations_table,
    ),
    "CompanyDataTable": lambda settings: ("COMPANY_DATA_TABLE_NAME", settings.company_data_table),
    "ConsoleSessionsTable": lambda settings: (
        "CONSOLE_SESSIONS_TABLE_NAME",
        settings.console_sessions_table,
    ),
    "QuillLedgerTable": lambda settings: ("DYNAMO_TABLE_NAME", settings.facts_table),
}
