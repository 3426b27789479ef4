"""Addresses in settings: where to listen, where notifications go, where the judge and where the broker is."""

import contextlib
import re
from typing import NamedTuple
from urllib.parse import SplitResult, parse_qsl, unquote, unquote_to_bytes, urlsplit

BROKER_SCHEMES = ("redis://", "rediss://", "redis+socket://")
BROKER_PORT = 6379
_TLS_FILES = ("ssl_ca_certs", "ssl_certfile", "ssl_keyfile")


class ListenAddress(NamedTuple):
    """Where to listen. port: 0 takes a free one."""

    host: str
    port: int


def split_address(text: str) -> ListenAddress:
    """Host and port of `host:port`, an IPv6 host in brackets. Raises ValueError for anything else."""
    parts = urlsplit(f"//{text}")
    if not parts.hostname or parts.port is None or parts.netloc != text or "@" in text:
        raise ValueError("no host:port")
    return ListenAddress(parts.hostname, parts.port)


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


def check_ticket_url(text: str) -> None:
    """Raise ValueError unless this is an https address with one `{ticket}` behind its host."""
    head, _, rest = text.partition("{ticket}")
    check_web_address(head)
    if not head.startswith("https://") or urlsplit(head).path == "" or len(head) == len(text) or "{" in head + rest:
        raise ValueError("no address of a ticket")
    check_web_address(head + rest)


class AddressError(ValueError):
    """An address that cannot be used. key: of the text that says what may be written. Holds no part of the address."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


class BrokerAddress(NamedTuple):
    """Parts of a broker URL, decoded. socket: path of a Unix socket, "" for TCP. tls: as redis-py names them."""

    host: str = "127.0.0.1"
    port: int = BROKER_PORT
    socket: str = ""
    username: str | None = None
    password: str | None = None
    database: int = 0
    tls: dict[str, str | bool] | None = None


def split_broker_url(text: str) -> BrokerAddress:
    """Parts of a broker URL, as Celery reads it. TLS verifies the certificate unless the URL switches that off.

    Raises AddressError for what Celery would read in another way than it is meant, such as a password with an
    unescaped `/`, `?` or `#`.
    """
    if not text.startswith(BROKER_SCHEMES):
        raise AddressError("broker")
    parts, port = _split(text)
    # Celery takes what follows a semicolon for the address of another broker.
    if not text.isprintable() or "#" in text or ";" in text or "@" in parts.query:
        raise AddressError("broker-form")
    username, password = (unquote(value) if value else None for value in (parts.username, parts.password))
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    if parts.scheme == "redis+socket":
        if parts.hostname or port is not None or not parts.path.strip("/"):
            raise AddressError("broker-form")
        database = _database(options.pop("virtual_host", ""))
        path = unquote_to_bytes(parts.path).decode("utf-8", "surrogateescape")
        address = BrokerAddress(socket=path, username=username, password=password, database=database)
    else:
        host = unquote(parts.hostname or "") or BrokerAddress().host
        address = BrokerAddress(host, port or BROKER_PORT, "", username, password, _database(parts.path))
    if parts.scheme == "rediss":
        return address._replace(tls=_tls(options))
    if options:
        raise AddressError("broker-option")
    return address


def _split(text: str) -> tuple[SplitResult, int | None]:
    """The parts of a URL, and its port."""
    with contextlib.suppress(ValueError):  # its message may hold a part of the password
        parts = urlsplit(text)
        return parts, parts.port
    raise AddressError("broker-form")


def _database(text: str) -> int:
    found = re.fullmatch(r"/?([0-9]{0,9})", text)
    if found is None:
        raise AddressError("broker-form")
    return int(found[1] or 0)


def _tls(options: dict[str, str]) -> dict[str, str | bool]:
    """Options of TLS from those of the URL; a name or value that Celery and redis-py do not share is refused."""
    tls: dict[str, str | bool] = {"ssl_cert_reqs": options.pop("ssl_cert_reqs", "required")}
    if tls["ssl_cert_reqs"] not in {"required", "none"}:
        raise AddressError("broker-option")
    check_hostname = options.pop("ssl_check_hostname", "true").lower()
    if check_hostname not in {"true", "false"}:
        raise AddressError("broker-option")
    tls["ssl_check_hostname"] = check_hostname == "true"
    tls |= {name: options.pop(name) for name in _TLS_FILES if options.get(name)}
    if options:
        raise AddressError("broker-option")
    return tls
