"""The page's consumer works as it is, and the description has every event."""

import re
import sqlite3
import threading
from http.server import ThreadingHTTPServer
from pathlib import Path

from chalicelib.outreach.company_events.event_names import TELLS, EventName
from chalicelib.outreach.conversations.records import Draft
from tests.rigs.company_endpoint import SECRETS
from tests.rigs.conversation_samples import new
from tests.rigs.openapi import DESCRIBED

PAGE = (Path(__file__).parents[2] / "docs" / "outreach-events.md").read_text()


def test_the_consumer_of_the_page_keeps_every_event_once(telling, monkeypatch, tmp_path):
    monkeypatch.setenv("WEBHOOK_SECRET", SECRETS[0])
    monkeypatch.chdir(tmp_path)
    (source,) = re.findall(r"```python\n(import os\n.*?)```", PAGE, re.DOTALL)
    module = {"__name__": "consumer"}
    exec(source, module)  # noqa: S102 - our own page
    server = ThreadingHTTPServer(("127.0.0.1", 0), module["Handler"])
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    telling.company(f"http://127.0.0.1:{server.server_port}/")
    asked = ("e1", Draft(function_arguments='{"day": "friday"}'))
    record = telling.open({**new(channel="sms"), TELLS: True}, asked)
    for name in EventName:
        telling.events.record(record, name, "once", message_id="e1")
    telling.run()
    first = telling.events.rows.event(record.opaque_id, 1)
    server.shutdown()
    server.server_close()
    module["seen"].close()
    with sqlite3.connect(tmp_path / "events.db") as kept:
        ids = [event_id for (event_id,) in kept.execute("SELECT id FROM events ORDER BY rowid")]
    assert len(ids) == len(EventName)
    assert ids[0] == first.id


def test_every_event_is_on_the_page_and_in_the_description():
    schema = DESCRIBED["components"]["schemas"]["ConversationEvent"]["properties"]["type"]
    types = {f"conversation.{name.value}" for name in EventName}
    assert set(schema["enum"]) == types
    assert all(f"`{type_name}`" in PAGE for type_name in types)
