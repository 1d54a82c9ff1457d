"""Whether a recipient is asked before a tool is called."""

from __future__ import annotations

ASK, CALL = "ask", "call"
"""Values of `Draft.function_step`: the recipient is asked; the tool is called."""
