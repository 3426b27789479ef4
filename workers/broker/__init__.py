"""The broker in use, its condition, and what is kept in its server."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from workers.broker.condition import MEMORY_URL, BrokerFault, Depth, FaultKind, broker_address
    from workers.broker.embedded import BrokerError, EmbeddedBroker, InProcessWorker, find_server
    from workers.broker.process import Process
    from workers.broker.redis_transport import dropped, install_transport, list_of
    from workers.broker.server import SAY_SECONDS, JudgingClaims, find_processes, notification_claim, say_gone
    from workers.broker.server import say_present, shared_client, this_process, watcher_lease
else:
    __getattr__ = door(__name__)
