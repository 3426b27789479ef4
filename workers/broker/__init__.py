"""The broker in use, its condition, and what is kept in its server."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from workers.broker.condition import MEMORY_URL, BrokerFault, Depth, FaultKind, broker_address
    from workers.broker.embedded import BrokerError, EmbeddedBroker, find_server
    from workers.broker.in_process import InProcessWorker
    from workers.broker.presence import SAY_SECONDS, find_processes, say_gone, say_present, this_process
    from workers.broker.process import Process
    from workers.broker.redis_transport import dropped, install_transport, list_of
    from workers.broker.server import JudgingClaims, notification_claim, shared_client, watcher_lease
else:
    __getattr__ = door(__name__)
