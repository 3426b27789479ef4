"""The index names files that are waited for longer than usual, with the time since when."""

import time
from pathlib import Path

from tests.watcher.world import World
from watcher.settle import Hint, Looked, SettlePolicy, Settling, Stat


def test_pending_files_are_told_of_after_a_while() -> None:
    settling = Settling(SettlePolicy())
    settling.hint("a", Hint.MODIFIED, 0.0)
    stats = [Stat.of(size, 0, 0, 1, 1) for size in range(40)]
    for second in range(40):
        settling.hint("a", Hint.MODIFIED, float(second))  # it grows
        settling.look("a", stats[second], float(second))
        assert settling.waiting(float(second), least=30.0) == ({"a": float(second)} if second >= 30 else {})
    assert settling.look("a", stats[39], 60.0) is Looked.READY
    assert settling.waiting(60.0, least=0.0) == {}
    settling.hint("b", Hint.SEEN, 60.0)
    assert settling.waiting(61.0, least=1.0) == {"b": 1.0}
    assert settling.look("b", None, 61.0) is Looked.GONE
    assert settling.waiting(99.0, least=0.0) == {}


def test_the_index_is_written_when_a_file_is_waited_for_and_when_it_is_there(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.run(3)
    world.write("resume_agent_a.csv", "", Hint.CLOSED)
    world.run(20)
    written = len(world.indexed)
    assert world.waited_for == {}
    world.run(15)
    assert len(world.indexed) == written + 1
    (since,) = [world.waited_for.pop("resume_agent_a.csv")]
    assert time.time() - 40 < since < time.time()
    assert world.waited_for == {}
    world.write("resume_agent_a.csv", "Query ID\n1\n", Hint.CLOSED)
    world.run(5)
    assert len(world.indexed) > written + 1
    assert world.waited_for == {}
