"""Finds out why no connection can be made, if the reason is a mistake about TLS.

gRPC's own errors say little about it, so this module makes a handshake of its own."""

from __future__ import annotations

import re
import socket
import ssl
from typing import Any, Callable, Optional

from slipstream._calls.tls_files import CA, CERTIFICATE, KEY, SYSTEM
from slipstream.options import Options

_PATIENCE = 2.0  # Seconds for each thing that is waited for.
_HOST_AND_PORT = re.compile(r"\[?([^\[\]/]+)\]?:([0-9]+)")
# The beginning of HTTP/2 by a client, with settings that change nothing (RFC 9113, 3.4).
_HTTP2 = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0"
# What OpenSSL calls the reasons for not trusting a certificate: X509_V_ERR_*.
_NOT_YET_VALID, _EXPIRED = 9, 10
_WRONG_NAME = (62, 64)
_NOT_SIGNED = (2, 7, 18, 19, 20, 21)


def mistake_finder(address: str, options: Options) -> Optional[Callable[[], Optional[str]]]:
    """A function that connects to the server as the options say, and returns what is wrong and what
    to do about it, or None if it finds no mistake. There is no such function where the credentials
    are not known."""
    place = _HOST_AND_PORT.fullmatch(address)
    if place is None or options.credentials is not None:
        return None
    host, port = place[1], int(place[2])

    def find() -> Optional[str]:
        try:
            return _find(host, port, options)
        except (OSError, ValueError):  # It cannot be reached, or a file has changed meanwhile.
            return None

    return find


def _find(host: str, port: int, options: Options) -> Optional[str]:
    with _connect(host, port) as connection:
        handshake = _Handshake(connection, _context(options), host)
        distrust = hang_up = None
        try:
            handshake.shake()
            handshake.speak_http2()
        except ssl.SSLCertVerificationError as error:
            distrust = error
        except (ssl.SSLError, EOFError, ConnectionError) as error:
            hang_up = error
    if _is_tls(handshake.first):
        if not options.ca:
            return (
                f"the server speaks TLS, and this caller plaintext; give {CA} the file with the "
                'certificate that signs the server\'s, or "system" for those that the system trusts'
            )
        if distrust is not None:
            return _distrust(distrust, host, options)
        return _refusal(options) if hang_up is not None and handshake.is_done else None
    if options.ca and (handshake.first or _speaks_plaintext(host, port)):
        return (
            f"the server speaks plaintext, and this caller TLS; leave {CA} out, or have the "
            "server's operator give it --tls-certificate and --tls-key"
        )
    return None


def _connect(host: str, port: int) -> socket.socket:
    return socket.create_connection((host, port), timeout=_PATIENCE)


def _context(options: Options) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["h2"])
    if not options.ca:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    elif options.ca == SYSTEM:
        context.load_default_certs()
    else:
        context.load_verify_locations(cafile=options.ca)
    if options.certificate and options.key:
        context.load_cert_chain(options.certificate, options.key, password=lambda: "")
    return context


class _Handshake:
    """A connection that is made by hand, so that what the server says first is seen."""

    def __init__(self, connection: socket.socket, context: ssl.SSLContext, host: str) -> None:
        self._connection = connection
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_hostname=host)
        self.first = b""
        self.is_done = False

    def shake(self) -> None:
        self._drive(self._tls.do_handshake)
        self.is_done = True

    def speak_http2(self) -> None:
        """With TLS 1.3 a server judges the caller's certificate after the handshake."""
        self._drive(lambda: self._tls.write(_HTTP2))
        if not self._drive(lambda: self._tls.read(64)):
            raise EOFError

    def _drive(self, step: Callable[[], Any]) -> Any:
        while True:
            try:
                return step()
            except ssl.SSLWantReadError:
                pass
            finally:
                self._connection.sendall(self._outgoing.read())
            received = self._connection.recv(4096)
            if not received:
                raise EOFError
            self.first = self.first or received
            self._incoming.write(received)


def _is_tls(first: bytes) -> bool:
    """Whether it is a record of TLS, a handshake or an alert (RFC 8446, 5.1)."""
    return first[:1] in (b"\x15", b"\x16") and first[1:2] == b"\x03"


def _speaks_plaintext(host: str, port: int) -> bool:
    """Whether the server answers with a frame of HTTP/2 with its settings, or by HTTP/1."""
    with _connect(host, port) as connection:
        connection.sendall(_HTTP2)
        answer = connection.recv(64)
    return answer.startswith(b"HTTP/") or (len(answer) >= 9 and answer[0] == 0 and answer[3] == 4)


def _distrust(error: ssl.SSLCertVerificationError, host: str, options: Options) -> str:
    code = error.verify_code
    if code == _EXPIRED:
        return (
            "the server's certificate, or one that signs it, has expired; the server's operator must "
            "renew it, unless this machine's clock is wrong"
        )
    if code == _NOT_YET_VALID:
        return (
            "the server's certificate, or one that signs it, is not valid yet; set this machine's "
            "clock if it is wrong, or wait"
        )
    if code in _WRONG_NAME:
        return (
            f"the server's certificate is not for {host}; use an address with a name that it is "
            f"for, or have the server's operator give it one for {host}"
        )
    if code in _NOT_SIGNED:
        roots = "that the system trusts" if options.ca == SYSTEM else f"in {options.ca}"
        return (
            f"the server's certificate is not signed by any {roots}; give {CA} the file with the "
            "certificate that signs it"
        )
    return (
        f"the server's certificate cannot be trusted ({error.verify_message}); give {CA} the file "
        "with the certificate that signs it, or have the server's operator give it another one"
    )


def _refusal(options: Options) -> str:
    if not options.certificate:
        return (
            "the server ends the connection after the handshake, like one that requires a client "
            f"certificate; give {CERTIFICATE} and {KEY}"
        )
    return (
        f"the server does not accept the certificate in {options.certificate}; give {CERTIFICATE} "
        "one that is valid and signed by one of the server's --tls-client-ca"
    )
