"""Addresses in settings: where to listen, where notifications go, and where the judge is."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import urlsplit

__all__ = ["Address", "check_base_url", "check_web_address", "split_address"]


class Address(NamedTuple):
    """Where to listen. port: 0 takes a free one."""

    host: str
    port: int


def split_address(text: str) -> Address:
    """Host and port of `host:port`, an IPv6 host in brackets. Raises ValueError for anything else."""
    parts = urlsplit(f"//{text}")
    if not parts.hostname or parts.port is None or parts.netloc != text or "@" in text:
        raise ValueError("no host:port")
    return Address(parts.hostname, parts.port)


def check_web_address(text: str) -> None:
    """Raise ValueError unless this is an http(s) address with a host that can be asked for as it is written."""
    parts = urlsplit(text)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.port == 0:
        raise ValueError("no web address")
    if "@" in parts.netloc or not text.isascii() or not text.isprintable() or " " in text:
        raise ValueError("nothing to send to")


def check_base_url(text: str) -> None:
    """Raise ValueError unless paths can be appended to this web address; it is shown, so it may hold no secret."""
    check_web_address(text)
    if "?" in text or "#" in text:
        raise ValueError("no base URL")
