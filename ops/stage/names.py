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
    "IdempotencyTable": lambda one: ("IDEMPOTENCY_TABLE_NAME", one.idempotency_table),
    "ConversationStateTable": lambda one: ("CONVERSATION_STATE_TABLE_NAME", one.state_table),
    "AuditActionsTable": lambda one: ("AUDIT_TRAIL_TABLE_NAME", one.audit_table),
    "ConversationsTable": lambda one: ("CONVERSATIONS_TABLE_NAME", one.conversations_table),
    "CompanyDataTable": lambda one: ("COMPANY_DATA_TABLE_NAME", one.company_data_table),
    "ConsoleSessionsTable": lambda one: (
        "CONSOLE_SESSIONS_TABLE_NAME",
        one.console_sessions_table,
    ),
    "QuillLedgerTable": lambda one: ("DYNAMO_TABLE_NAME", one.facts_table),
}
