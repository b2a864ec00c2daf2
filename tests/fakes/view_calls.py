"""Calls over the toy graph whose results have a picture."""

from typing import Any

WALK: dict[str, Any] = {"start": ["Ratatouille"], "path": ["NEEDS", "NEEDS"]}
PLAN: dict[str, Any] = {
    "question": "What can I cook with aubergine?",
    "strategies": [
        {
            "id": "text",
            "message_to_user": "By its text",
            "command": "SELECT Number, Title FROM Recipe WHERE FREETEXT(Body, 'aubergine')",
        },
        {
            "id": "edges",
            "message_to_user": "By its ingredients",
            "command": "SELECT r.Number, r.Title FROM Recipe r, NEEDS n, Ingredient i "
            "WHERE MATCH(i-(n)->r) AND i.Label = 'Aubergine'",
        },
        {"id": "wrong", "message_to_user": "One that may not", "command": "DROP TABLE Recipe"},
    ],
}
