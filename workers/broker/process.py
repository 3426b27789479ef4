"""A process that uses the broker, as the others see it. Imports no client: `status` shows what a watcher has found."""

from typing import Annotated, Literal

import msgspec

_Text = Annotated[str, msgspec.Meta(max_length=256)]


class Process(msgspec.Struct, frozen=True, kw_only=True):
    """A process that uses the broker. is_leading: of a watcher. at_once: tasks that a worker runs at a time."""

    kind: Literal["watcher", "worker", "judge"]
    host: _Text
    pid: int
    engine_version: int
    is_leading: bool = False
    at_once: int = 0
