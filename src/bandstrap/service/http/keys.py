"""Who may ask what: keys and their roles, or everybody on this machine."""

from hashlib import sha256
from hmac import compare_digest
from ipaddress import ip_address
from secrets import token_urlsafe
from socket import gaierror, getaddrinfo
from typing import Protocol
from urllib.parse import urlsplit

from bandstrap.errors import InvalidInput
from bandstrap.service.config import Key, Role, ServiceConfig
from bandstrap.service.http.answers import Refused

BYTES = 32  # of randomness in a new key

RawHeaders = list[tuple[bytes, bytes]]


class Callers(Protocol):
    """Says who a caller is."""

    def name(self, headers: RawHeaders, role: Role) -> str:
        """The caller's name; refused where it may not do this."""


class Keys:
    """Callers show a key: `Authorization: Bearer …`.

    Every key is compared, each in constant time, so that no answer's time says which one was near.
    """

    def __init__(self, keys: tuple[Key, ...]) -> None:
        self._keys = [(bytes.fromhex(key.sha256), key) for key in keys]

    def name(self, headers: RawHeaders, role: Role) -> str:
        key = self._found(headers)
        if key is None:
            remedy = "send a key of this service: Authorization: Bearer …"
            raise Refused(401, remedy, {"www-authenticate": "Bearer"})
        if role not in key.roles:
            raise Refused(403, f"the key {key.name} has not the role {role.value}")
        return key.name

    def _found(self, headers: RawHeaders) -> Key | None:
        shown = [value for name, value in headers if name == b"authorization"]
        scheme, _, token = shown[0].partition(b" ") if len(shown) == 1 else (b"", b"", b"")
        digest = sha256(token.strip()).digest()
        found = None
        for known, key in self._keys:
            if compare_digest(digest, known):
                found = key
        return found if scheme.lower() == b"bearer" else None


class Local:
    """No keys: everybody on this machine may do everything, but not by way of a foreign web page.

    A page of another site that is open in a browser here could send requests too. Browsers say
    which site it was, and under which name they think to reach this server.
    """

    def name(self, headers: RawHeaders, role: Role) -> str:
        for name, value in headers:
            if name == b"host" and not _is_local(value.decode("latin-1")):
                raise Refused(403, "without keys, ask for it by the name localhost or 127.0.0.1")
            if name == b"origin" and not _is_local_origin(value.decode("latin-1")):
                raise Refused(403, "without keys, pages of other sites may not ask")
        return "local"


def callers(keys: tuple[Key, ...]) -> Callers:
    return Keys(keys) if keys else Local()


def check_host(config: ServiceConfig) -> None:
    """Without keys the service listens on this machine alone."""
    if not config.keys and not is_loopback(config.host):
        remedy = (
            "others could reach it without a key: add [keys] to the configuration "
            "(`bandstrap serve --new-key` makes one), or listen on 127.0.0.1"
        )
        raise InvalidInput("host", config.host, remedy)


def is_loopback(host: str) -> bool:
    """Whether all addresses of a name are this machine's own.

    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    if not host:  # every address
        return False
    try:
        found = {str(each[4][0]) for each in getaddrinfo(host, None)}
    except (gaierror, UnicodeError):
        return False
    return all(ip_address(each.partition("%")[0]).is_loopback for each in found)


def new_key(name: str = "product") -> tuple[str, str]:
    """A new key, and the lines that let it in.

    >>> key, lines = new_key()
    >>> len(key), lines.startswith("[keys.product]"), key in lines
    (43, True, False)
    """
    key = token_urlsafe(BYTES)
    digest = sha256(key.encode()).hexdigest()
    roles = ", ".join(f'"{each.value}"' for each in Role if each is not Role.ADMIN)
    return key, f'[keys.{name}]\nsha256 = "{digest}"\nroles = [{roles}]'


_LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})


def _is_local(host: str) -> bool:
    """Of a Host header: a name, perhaps with a port."""
    try:
        return urlsplit(f"//{host}").hostname in _LOCAL
    except ValueError:
        return False


def _is_local_origin(origin: str) -> bool:
    try:
        return urlsplit(origin).hostname in _LOCAL
    except ValueError:
        return False
