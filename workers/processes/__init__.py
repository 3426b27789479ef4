"""Child processes, the state folder, and a process about itself."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from workers.processes.child import Child
    from workers.processes.own_process import Identity, give_back_memory, keep_little_memory, limit_memory, may_run
    from workers.processes.own_process import own_identity, usable_cores
    from workers.processes.parent_death import ending_with_us
    from workers.processes.state_folder import JUDGE, WORKER, StateFolder, address_file, prepare_private
else:
    __getattr__ = door(__name__)
