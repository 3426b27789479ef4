"""The parts of `scorewatch up`, `watch` and `status`."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from cli.service.documents import Documents
    from cli.service.lines import describe_fault, trouble_line
    from cli.service.live_screen import Screen
    from cli.service.overview import find_known_sets, print_overview, warn_of_queue
    from cli.service.processes import refuse_without_semaphores, worker_command, worker_environment
    from cli.service.saved_snapshot import NUDGE_NAME, is_disk_full
    from cli.service.stopping import HangGuard, HurriedError, Stop
    from cli.service.up import Service
    from cli.service.watch import Watch, holder_name
else:
    __getattr__ = door(__name__)
