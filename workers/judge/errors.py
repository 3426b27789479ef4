"""Why a judge gave no verdict: slugs that go into the verdict file, the logs and the report."""

from __future__ import annotations

from enum import StrEnum

from scoring.problems import ScorewatchError, TransientError


class Slug(StrEnum):
    """What went wrong. The first group is about one item, the second about the endpoint."""

    TIMEOUT = "timeout"
    SERVER_ERROR = "server-error"
    CONNECTION_LOST = "connection-lost"
    REPLY_INVALID = "reply-invalid"
    TOO_LONG = "too-long"
    REFUSED = "refused"

    UNREACHABLE = "unreachable"
    KEY_REFUSED = "key-refused"
    NOT_FOUND = "not-found"
    REDIRECTED = "redirected"
    QUOTA = "quota"
    RATE_LIMITED = "rate-limited"
    UNAVAILABLE = "unavailable"


FINAL = frozenset({Slug.TOO_LONG, Slug.REFUSED})  # the same request would end the same way


class CallFailed(ScorewatchError):
    """One request came to nothing."""

    def __init__(self, slug: Slug) -> None:
        super().__init__(slug)
        self.slug = slug


class JudgeDownError(TransientError):
    """The endpoint itself cannot be asked now. detail: for people; holds no key."""

    def __init__(self, slug: Slug, detail: str = "") -> None:
        super().__init__(slug, detail)
        self.slug = slug
        self.detail = detail

    def __str__(self) -> str:
        return f"{self.slug}: {self.detail}" if self.detail else str(self.slug)
