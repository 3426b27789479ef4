"""Why a judge gave no verdict: slugs for the verdict file, the logs and the report, and texts without the key."""

from enum import StrEnum

from scoring import ScorewatchError, TransientError


class Slug(StrEnum):
    """What went wrong. The first group is about one item, the second about the endpoint."""

    TIMEOUT = "timeout"
    SERVER_ERROR = "server-error"
    CONNECTION_LOST = "connection-lost"
    REPLY_INVALID = "reply-invalid"
    REPLY_TOO_LARGE = "reply-too-large"
    INTERRUPTED = "interrupted"
    TOO_LONG = "too-long"
    REFUSED = "refused"

    UNREACHABLE = "unreachable"
    KEY_REFUSED = "key-refused"
    NOT_FOUND = "not-found"
    REDIRECTED = "redirected"
    QUOTA = "quota"
    RATE_LIMITED = "rate-limited"
    UNAVAILABLE = "unavailable"
    BUDGET = "budget"  # nothing is wrong with it: what may be spent is


FINAL = frozenset({Slug.TOO_LONG, Slug.REFUSED})  # a retry would end the same way
REDACTED = "[…]"
_RUN = 8  # characters of the key in a row that no text may hold; a shorter key only as a whole


class CallFailed(ScorewatchError):
    """One request failed."""

    def __init__(self, slug: Slug) -> None:
        super().__init__(slug)
        self.slug = slug


class JudgeDownError(TransientError):
    """The endpoint is not available, or may not be asked. detail: for people; without the key."""

    def __init__(self, slug: Slug, detail: str = "") -> None:
        super().__init__(slug, detail)
        self.slug = slug
        self.detail = detail

    def __str__(self) -> str:
        return f"{self.slug}: {self.detail}" if self.detail else str(self.slug)


def redacted(text: str, key: str) -> str:
    """The text with every piece of the key replaced. key: "" for none."""
    if not key:
        return text
    run = min(_RUN, len(key))
    pieces = {key[at : at + run] for at in range(len(key) - run + 1)}
    shown: list[str] = []
    kept = at = 0
    while at + run <= len(text):
        if text[at : at + run] not in pieces:
            at += 1
            continue
        end = at + run
        while text[end - run + 1 : end + 1] in pieces:
            end += 1
        shown += [text[kept:at], REDACTED]
        kept = at = end
    return "".join([*shown, text[kept:]])
