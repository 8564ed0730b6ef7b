"""The journal as support may see it: figures and states, and the names that must not be among them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from desktop.store.journal import Tx

_TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
_VERSION = "SELECT user_version FROM pragma_user_version"
_OUTBOX = """
SELECT kind, uid, revision, station, seq, delivery, failures, failing_since, next_at, handed_over_at, problem
FROM outbox ORDER BY station, seq
"""
_CHANNEL = "SELECT failures, next_at, problem, paused, last_success_at FROM sync_channel"
_PEOPLE = """
SELECT name AS word FROM people UNION SELECT phone FROM people UNION SELECT requester_name FROM proposals
UNION SELECT by_name FROM decisions
"""


def figures(tx: Tx) -> Mapping[str, Any]:
    """Schema version and how many rows each table has."""
    schema = tx.rows(_VERSION)[0]["user_version"]
    # The names are the schema's own: a table's name can't be a parameter.
    counts = {row["name"]: tx.rows(f'SELECT COUNT(*) AS n FROM "{row["name"]}"')[0]["n"] for row in tx.rows(_TABLES)}
    return {"schema": schema, "rows": counts}


def deliveries(tx: Tx) -> Mapping[str, Any]:
    """How each item of the outbox and the way out as a whole are doing; of what keeps them only the code."""
    channel = tx.row(_CHANNEL)
    return {
        "items": [{**row, "problem": _code(row["problem"])} for row in tx.rows(_OUTBOX)],
        "channel": {**channel, "problem": _code(channel["problem"])} if channel else None,
    }


def people(tx: Tx) -> frozenset[str]:
    """Every person's name and phone number that the journal has in a place of its own."""
    return frozenset(row["word"] for row in tx.rows(_PEOPLE) if row["word"])


def _code(problem: str) -> str:
    return str(json.loads(problem)[0]) if problem else ""
