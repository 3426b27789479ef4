"""The parts of the watcher that a command puts together."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from watcher.comparisons_and_gates import Comparisons, Gates
    from watcher.content_hashes import CACHE_NAME, Hashes
    from watcher.events import FolderObserver
    from watcher.folder import InputFolder
    from watcher.health import Figures, HealthPolicy, Snapshot, Waiting, judge
    from watcher.inputs import InputFiles
    from watcher.loop import Watcher
    from watcher.plan import Planner
    from watcher.reconcile import RETRY_SECONDS, AskPolicy, Reconciler
    from watcher.reviews import ReviewFiles
    from watcher.settle import SettlePolicy, stat_of
    from watcher.webhook import Notifier
else:
    __getattr__ = door(__name__)
