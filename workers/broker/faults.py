"""Why the queue cannot be used: the kinds of fault of a broker, from the errors of kombu and redis-py."""

from __future__ import annotations

import ssl
from collections.abc import Iterator

from redis import exceptions

from workers.broker.condition import BrokerFault, FaultKind

_KINDS: tuple[tuple[FaultKind, tuple[type[BaseException], ...]], ...] = (
    (FaultKind.CERTIFICATE, (ssl.SSLCertVerificationError,)),
    (FaultKind.CREDENTIALS, (exceptions.AuthenticationError, exceptions.AuthorizationError)),
    (FaultKind.READ_ONLY, (exceptions.ReadOnlyError,)),
    (FaultKind.MEMORY, (exceptions.OutOfMemoryError,)),
    (FaultKind.OTHER, (exceptions.NoPermissionError, exceptions.BusyLoadingError)),
)
_CERTIFICATE_TEXT = "CERTIFICATE_VERIFY_FAILED"
_DATABASE_TEXTS = ("DB index is out of range", "Invalid Database")


def fault_of(error: BaseException) -> BrokerFault:
    """The fault that an error of kombu, redis-py or the system tells of."""
    errors = list(_chain(error))
    reason = str(errors[0]) or type(errors[0]).__name__
    for kind, classes in _KINDS:
        if any(isinstance(one, classes) for one in errors):
            return BrokerFault(kind, reason)
    if _CERTIFICATE_TEXT in reason:
        return BrokerFault(FaultKind.CERTIFICATE, reason)
    if any(text in reason for text in _DATABASE_TEXTS):
        return BrokerFault(FaultKind.DATABASE, reason)
    is_answer = any(isinstance(one, exceptions.ResponseError) for one in errors)
    return BrokerFault(FaultKind.OTHER if is_answer else FaultKind.UNREACHABLE, reason)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """An error and its causes."""
    found: BaseException | None = error
    while found is not None:
        yield found
        found = found.__cause__ or found.__context__
