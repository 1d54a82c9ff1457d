# ruff: noqa: N803 - the arguments have AWS's names
"""A DynamoDB client in memory: the calls that the product, its operators and the tests make.

The expressions of a request are those of DynamoDB; `tests.simulation.memory_table` keeps the rows.
`tests/contracts` runs the contract of stores over it too.
"""

import functools
import re

from chalicelib.aws.typed_values import from_wire, to_wire
from chalicelib.once.store import ConditionFailed, TransactionRefused
from local.stack.engine import REGION
from tests.rigs.memory_clients import ACCOUNT, Client, error
from tests.simulation import expressions
from tests.simulation.memory_table import MemoryTable


class DynamoDb(Client):
    """The tables of one account."""

    service = "dynamodb"

    def __init__(self):
        super().__init__()
        self._tables, self._described, self._ttl, self._shown = {}, {}, {}, {}

    # --- tables -------------------------------------------------------------------------------

    def create_table(self, *, TableName, KeySchema, Tags=(), **declared):
        keys = _names(KeySchema)
        kinds = ("GlobalSecondaryIndexes", "LocalSecondaryIndexes")
        indexes = [index for kind in kinds for index in declared.get(kind, ())]
        of_index = {index["IndexName"]: _names(index["KeySchema"]) for index in indexes}
        self._tables[TableName] = MemoryTable(TableName, keys, of_index)
        for index in indexes:
            shown = index["Projection"]
            if shown["ProjectionType"] != "ALL":
                more = shown.get("NonKeyAttributes", ())
                self._shown[TableName, index["IndexName"]] = {
                    *keys,
                    *of_index[index["IndexName"]],
                    *more,
                }
        self._described[TableName] = {
            **declared,
            "TableName": TableName,
            "KeySchema": KeySchema,
            "TableArn": f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/{TableName}",
            "TableStatus": "ACTIVE",
            "Tags": list(Tags),
            "GlobalSecondaryIndexes": [
                {**index, "IndexStatus": "ACTIVE"}
                for index in declared.get("GlobalSecondaryIndexes", ())
            ],
        }
        return {"TableDescription": self._described[TableName]}

    def delete_table(self, *, TableName):
        self._table(TableName)
        del self._tables[TableName], self._described[TableName]

    def describe_table(self, *, TableName):
        table = self._table(TableName)
        described = {k: v for k, v in self._described[TableName].items() if k != "Tags"}
        return {"Table": {**described, "ItemCount": len(table.rows)}}

    def list_tables(self):
        return {"TableNames": sorted(self._tables)}

    def list_tags_of_resource(self, *, ResourceArn):
        return {"Tags": list(self._of_arn(ResourceArn)["Tags"])}

    def tag_resource(self, *, ResourceArn, Tags):
        described = self._of_arn(ResourceArn)
        changed = {tag["Key"] for tag in Tags}
        kept = [tag for tag in described["Tags"] if tag["Key"] not in changed]
        described["Tags"] = [*kept, *Tags]

    def untag_resource(self, *, ResourceArn, TagKeys):
        described = self._of_arn(ResourceArn)
        described["Tags"] = [tag for tag in described["Tags"] if tag["Key"] not in TagKeys]

    def update_time_to_live(self, *, TableName, TimeToLiveSpecification):
        self._table(TableName)
        self._ttl[TableName] = TimeToLiveSpecification

    def describe_time_to_live(self, *, TableName):
        self._table(TableName)
        ttl = self._ttl.get(TableName, {})
        status = "ENABLED" if ttl.get("Enabled") else "DISABLED"
        return {"TimeToLiveDescription": {**ttl, "TimeToLiveStatus": status}}

    # --- single items -------------------------------------------------------------------------

    def put_item(self, *, TableName, Item, **asked):
        table = self._table(TableName)
        condition, values = _condition(asked)
        with _Refusing("PutItem", asked):
            table.put(from_wire(Item), condition=condition, **values)
        return {}

    def update_item(self, *, TableName, Key, **asked):
        table, changes = self._table(TableName), _changes(asked)
        condition, values = _condition(asked)
        with _Refusing("UpdateItem", asked):
            row = table.update(from_wire(Key), **changes, condition=condition, **values)
        return {"Attributes": to_wire(row)} if asked.get("ReturnValues") == "ALL_NEW" else {}

    def delete_item(self, *, TableName, Key, **asked):
        table, key = self._table(TableName), from_wire(Key)
        condition, values = _condition(asked)
        if condition:
            with _Refusing("DeleteItem", asked):
                table.transact([table.checking(key, condition=condition, **values)])
        table.delete(key)
        return {}

    def get_item(self, *, TableName, Key, **asked):
        row = self._table(TableName).get(from_wire(Key))
        return {} if row is None else {"Item": to_wire(_projected(row, asked))}

    # --- many items ---------------------------------------------------------------------------

    def query(self, *, TableName, KeyConditionExpression, **asked):
        names = asked.get("ExpressionAttributeNames", {})
        rows = self._table(TableName).query(
            IndexName=asked.get("IndexName", ""),
            KeyConditionExpression=_signed(KeyConditionExpression, tuple(names.items())),
            ScanIndexForward=asked.get("ScanIndexForward", True),
            values=_values(asked),
        )
        return self._page(TableName, rows, asked)

    def scan(self, *, TableName, **asked):
        rows, _ = self._table(TableName).scan_page(limit=1_000_000)
        rows = rows[asked.get("Segment", 0) :: asked.get("TotalSegments", 1)]
        keys = self._table(TableName)._indexes.get(asked.get("IndexName"), ())
        return self._page(TableName, [row for row in rows if row.keys() >= {*keys}], asked)

    def batch_get_item(self, *, RequestItems):
        found = {}
        for name, asked in RequestItems.items():
            rows = [self._table(name).get(from_wire(key)) for key in asked["Keys"]]
            found[name] = [to_wire(_projected(row, asked)) for row in rows if row is not None]
        return {"Responses": found, "UnprocessedKeys": {}}

    def batch_write_item(self, *, RequestItems):
        for name, writes in RequestItems.items():
            for write in writes:
                if "PutRequest" in write:
                    self._table(name).put(from_wire(write["PutRequest"]["Item"]))
                else:
                    self._table(name).delete(from_wire(write["DeleteRequest"]["Key"]))
        return {"UnprocessedItems": {}}

    def batch_execute_statement(self, *, Statements):
        return {"Responses": [self._execute(**statement) for statement in Statements]}

    def transact_write_items(self, *, TransactItems):
        writes = []
        for item in TransactItems:
            ((kind, asked),) = item.items()
            writes.append(self._write(kind, **asked))
        with _Refusing("TransactWriteItems", {}):
            writes[0]["table"].transact(writes)
        return {}

    # --- inside -------------------------------------------------------------------------------

    def _write(self, kind, *, TableName, **asked):
        table = self._table(TableName)
        condition, values = _condition(asked)
        if kind == "Put":
            return table.putting(from_wire(asked["Item"]), condition=condition, **values)
        key = from_wire(asked["Key"])
        if kind == "ConditionCheck":
            return table.checking(key, condition=condition, **values)
        changes = _changes(asked)
        return table.updating(key, condition=condition, **changes, **values)

    def _execute(self, *, Statement, Parameters):
        values = [from_wire({"": parameter})[""] for parameter in Parameters]
        insertion = _INSERTION.fullmatch(Statement)
        if insertion:
            item = dict(zip(_QUOTED.findall(insertion[2]), values, strict=True))
            is_new = self._table(insertion[1]).insert_all([item]) == [True]
            return {} if is_new else {"Error": {"Code": "DuplicateItem"}}
        name, assigned, met = _REPLACEMENT.fullmatch(Statement).groups()
        table, names = self._table(name), _QUOTED.findall(assigned)
        set_ = dict(zip(names, values, strict=False))
        where = dict(zip(_QUOTED.findall(met), values[len(names) :], strict=True))
        key = {name: where.pop(name) for name in table.key}
        is_so = table.update_all([key], set_=set_, where=where) == [True]
        return {} if is_so else {"Error": {"Code": "ConditionalCheckFailed"}}

    def _page(self, name, rows, asked):
        """The rows after the start, at most the limit, of which those that the filter lets through."""
        shown = self._shown.get((name, asked.get("IndexName")))
        if shown:
            rows = [{column: row[column] for column in shown if column in row} for row in rows]
        keys = self._tables[name].key
        start, limit = asked.get("ExclusiveStartKey"), asked.get("Limit")
        if start:
            past = from_wire({key: start[key] for key in keys})
            ids = [{key: row[key] for key in keys} for row in rows]
            rows = rows[ids.index(past) + 1 :] if past in ids else []
        page = rows if limit is None else rows[:limit]
        last = {} if len(page) == len(rows) else {key: page[-1][key] for key in keys}
        if "FilterExpression" in asked:
            matches = expressions.condition(_expression(asked, "FilterExpression"))
            values = _values(asked)
            page = [row for row in page if matches(row, values)]
        found = {"Items": [to_wire(_projected(row, asked)) for row in page], "Count": len(page)}
        return {**found, "LastEvaluatedKey": to_wire(last)} if last else found

    def _of_arn(self, arn):
        self._table(arn.rpartition("/")[2])
        return self._described[arn.rpartition("/")[2]]

    def _table(self, name):
        if name not in self._tables:
            raise error("ResourceNotFoundException", message=f"no table {name}")
        return self._tables[name]


class _Refusing:
    """Raises a failed condition as the service's error."""

    def __init__(self, operation, asked):
        self._operation = operation
        self._shows = asked.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"

    def __enter__(self):
        return self

    def __exit__(self, _kind, raised, _traceback):
        if isinstance(raised, TransactionRefused):
            reasons = [
                {"Code": "None"}
                if item is None
                else {"Code": "ConditionalCheckFailed", "Item": to_wire(item)}
                for item in raised.found
            ]
            name = "TransactionCanceledException"
            raise error(name, self._operation, CancellationReasons=reasons) from None
        if isinstance(raised, ConditionFailed):
            found = {"Item": to_wire(raised.item)} if self._shows and raised.item else {}
            raise error("ConditionalCheckFailedException", self._operation, **found) from None


def _names(schema):
    return tuple(part["AttributeName"] for part in schema)


_INSERTION = re.compile(r'INSERT INTO "([^"]+)" VALUE \{(.*)\}')
_REPLACEMENT = re.compile(r'UPDATE "([^"]+)" SET (.*) WHERE (.*)')
_QUOTED = re.compile(r"""['"]([^'"]+)['"]""")
_BARE = re.compile(r"(?<![#:\w])([a-z]\w*)(?=\s*(?:=|<|>|,|\)|BETWEEN))")
_ASSIGNED = re.compile(
    r"#(\w+)\s*=\s*(?:(if_not_exists)\(\s*#\w+\s*,\s*:(\w+)\s*\)|:(\w+))\s*(?:,|$)"
)
_ADDED = re.compile(r"#(\w+)\s+:(\w+)")


@functools.cache
def _signed(expression, names):
    """An expression that has every attribute under its own name, with a sign before it."""
    known = dict(names)
    renamed = re.sub(r"#\w+", lambda found: "#" + known.get(found[0], found[0][1:]), expression)
    return _BARE.sub(r"#\1", renamed)


def _expression(asked, kind):
    return _signed(asked[kind], tuple(asked.get("ExpressionAttributeNames", {}).items()))


def _values(asked):
    return {k[1:]: v for k, v in from_wire(asked.get("ExpressionAttributeValues", {})).items()}


def _condition(asked):
    """The condition of a write, and its values; a value that nothing uses is refused."""
    condition, given = asked.get("ConditionExpression", ""), _values(asked)
    used = expressions.values_in(f"{condition} {asked.get('UpdateExpression', '')}")
    if given.keys() != used:
        raise error("ValidationException", message=f"unused or missing: {given.keys() ^ used}")
    if not condition:
        return "", {}
    needed = expressions.values_in(condition)
    return _expression(asked, "ConditionExpression"), {name: given[name] for name in needed}


def _changes(asked):
    """The arguments of `MemoryTable.update` that an update expression stands for."""
    values = _values(asked)
    set_, keep, add, remove, discard = _parsed(_expression(asked, "UpdateExpression"))
    return {
        "set_": {name: values[value] for name, value in set_},
        "keep": {name: values[value] for name, value in keep},
        "add": {name: _members(values[value]) for name, value in add},
        "remove": remove,
        "discard": {name: _members(values[value]) for name, value in discard},
    }


@functools.cache
def _parsed(expression):
    parts = re.split(r"\b(SET|ADD|REMOVE|DELETE)\b", expression)
    clause = dict(zip(parts[1::2], parts[2::2], strict=True))
    assigned = _ASSIGNED.findall(clause.get("SET", "").strip())
    if clause.get("SET", "").count("=") != len(assigned):
        raise expressions.ExpressionError(f"not understood: {expression}")
    return (
        [(name, value) for name, kept, _, value in assigned if not kept],
        [(name, value) for name, kept, value, _ in assigned if kept],
        _ADDED.findall(clause.get("ADD", "")),
        re.findall(r"#(\w+)", clause.get("REMOVE", "")),
        _ADDED.findall(clause.get("DELETE", "")),
    )


def _members(value):
    return frozenset(value) if isinstance(value, set) else value


def _projected(row, asked):
    if "ProjectionExpression" not in asked:
        return row
    known = asked.get("ExpressionAttributeNames", {})
    names = [name.strip() for name in asked["ProjectionExpression"].split(",")]
    wanted = [known.get(name, name) for name in names]
    return {name: row[name] for name in wanted if name in row}
