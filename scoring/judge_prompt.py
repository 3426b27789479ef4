"""What a judge model is told (spec §4)."""

from __future__ import annotations

PROMPT_VERSION = "1"  # another prompt is another judge: verdicts of one version never count for the next
