"""A table in memory with other writers in between, and with calls that fail."""

from collections import defaultdict

from tests.simulation.memory_table import MemoryTable


class FaultyTable(MemoryTable):
    """A table that other workers write too, and whose calls can fail.

    Attributes:
        before: by the name of a call, what happens once, ahead of the next such call.
        after: likewise, once the call was carried out and before its caller has the answer.
        fails: by the name of a call, the errors that the next such calls raise; nothing is written.
        calls: the names of the calls made so far.
        returned_rows: for each update, whether the new row came back with its answer.
    """

    def __init__(self, made):
        super().__init__(made.name, made.key, made._indexes)
        self.before, self.after, self.fails = {}, {}, defaultdict(list)
        self.calls, self.returned_rows = [], []

    def _enter(self, name):
        self.before.pop(name, lambda: None)()
        if self.fails[name]:
            raise self.fails[name].pop(0)

    def put(self, item, **more):
        self.calls.append("put")
        self._enter("put")
        super().put(item, **more)

    def update(self, key, **more):
        self.calls.append("update")
        self._enter("update")
        self.returned_rows.append(more.get("reading", True))
        return super().update(key, **more)

    def get(self, key, **more):
        self.calls.append("get")
        self._enter("get")
        return super().get(key, **more)

    def insert_all(self, items):
        self.calls.append("insert_all")
        self._enter("insert_all")
        inserted = super().insert_all(items)
        self.after.pop("insert_all", lambda: None)()
        return inserted

    def put_all(self, items):
        self._enter("put_all")
        super().put_all(items)

    def update_all(self, keys, **more):
        calls = [*self.calls, "update_all"]  # its updates are one call
        try:
            return super().update_all(keys, **more)
        finally:
            self.calls = calls

    def transact(self, writes):
        self._enter("transact")
        calls = [*self.calls, "transact"]  # likewise
        try:
            super().transact(writes)
        finally:
            self.calls = calls
        self.after.pop("transact", lambda: None)()
