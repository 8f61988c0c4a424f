"""Reads the files of TLS, and says before any call what is wrong with them."""

from __future__ import annotations

import ssl
from typing import Tuple, Type

CA = "ca= (SLIPSTREAM_CA)"
CERTIFICATE = "certificate= (SLIPSTREAM_CERTIFICATE)"
KEY = "key= (SLIPSTREAM_KEY)"
SYSTEM = "system"  # As ca=: the certificates that the system trusts.

_ROOTS = 'the certificates that sign the server\'s, or "system" for those that the system trusts'
_OWN = "your own certificate"
_SECRET = "your certificate's private key, unencrypted"


def check_together(ca: str | None, certificate: str | None, key: str | None) -> None:
    """ValueError for a certificate without its key, for the reverse, and for either without ca=."""
    if certificate and not key:
        raise ValueError(_missing(CERTIFICATE, KEY, "the certificate's private key"))
    if key and not certificate:
        raise ValueError(_missing(KEY, CERTIFICATE, "the certificate that it belongs to"))
    if certificate and not ca:
        what = 'the certificates that sign the server\'s, or "system",'
        raise ValueError(_missing(CERTIFICATE, CA, what))


def read_roots(path: str) -> bytes | None:
    """The certificates in the file, in PEM form; None for those that the system trusts."""
    if path == SYSTEM:
        return None
    text = _read(path, CA, _ROOTS)
    _check_certificates(text, path, CA, _ROOTS)
    try:
        _context().load_verify_locations(cafile=path)
    except ssl.SSLError as error:
        raise _unusable(path, CA, _reason(error), _ROOTS) from None
    return text


def read_own(certificate: str, key: str) -> Tuple[bytes, bytes]:
    """The caller's certificate and its key, in PEM form."""
    chain = _read(certificate, CERTIFICATE, _OWN)
    _check_certificates(chain, certificate, CERTIFICATE, _OWN)
    secret = _read(key, KEY, _SECRET)
    if b"PRIVATE KEY-----" not in secret:
        raise _unusable(key, KEY, "it has no private key in PEM form", _SECRET)
    if b"ENCRYPTED" in secret:
        raise _unusable(key, KEY, "it is encrypted", _SECRET)
    try:
        _context().load_cert_chain(certificate, key, password=lambda: "")
    except ssl.SSLError as error:
        raise ValueError(
            f"the key in {key} does not belong to the certificate in {certificate} "
            f"({_reason(error)}); give a {CERTIFICATE} and a {KEY} that were made together"
        ) from None
    return chain, secret


def _context() -> ssl.SSLContext:
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def _read(path: str, name: str, content: str) -> bytes:
    try:
        with open(path, "rb") as file:
            text = file.read()
    except OSError as error:
        reason = error.strerror or str(error)
        raise _unusable(path, name, reason, content, type(error)) from None
    if not text:
        raise _unusable(path, name, "it is empty", content)
    return text


def _check_certificates(text: bytes, path: str, name: str, content: str) -> None:
    if b"CERTIFICATE-----" not in text:
        raise _unusable(path, name, "it has no certificate in PEM form", content)


def _reason(error: ssl.SSLError) -> str:
    """OpenSSL's, such as "key values mismatch"."""
    return (error.reason or "it is not valid").replace("_", " ").lower()


def _unusable(
    path: str, name: str, reason: str, content: str, kind: Type[Exception] = ValueError
) -> Exception:
    return kind(
        f"the file {path} cannot be used as {name}: {reason}; give a file in PEM form with "
        f"{content}"
    )


def _missing(given: str, missing: str, what: str) -> str:
    return f"{given} is given without {missing}: give {what} too"
