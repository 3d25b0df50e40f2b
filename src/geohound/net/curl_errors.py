"""What libcurl's errors mean to us."""

from __future__ import annotations

import errno

import pycurl

from geohound.model.failure import FailureReason

_BY_CODE = {
    pycurl.E_UNSUPPORTED_PROTOCOL: FailureReason.BAD_ANSWER,  # HTTP/0.9: our own URLs are always http(s)
    pycurl.E_URL_MALFORMAT: FailureReason.BAD_URL,
    pycurl.E_COULDNT_RESOLVE_HOST: FailureReason.DNS,
    pycurl.E_COULDNT_CONNECT: FailureReason.REFUSED,
    pycurl.E_FTP_WEIRD_SERVER_REPLY: FailureReason.BAD_ANSWER,  # 8: the status line is not HTTP
    pycurl.E_PARTIAL_FILE: FailureReason.RESET,
    pycurl.E_OPERATION_TIMEDOUT: FailureReason.CONNECT_TIMEOUT,  # the only time-out left to libcurl
    pycurl.E_SSL_CONNECT_ERROR: FailureReason.TLS,
    pycurl.E_GOT_NOTHING: FailureReason.RESET,
    pycurl.E_SEND_ERROR: FailureReason.RESET,
    pycurl.E_RECV_ERROR: FailureReason.RESET,
    pycurl.E_SSL_CERTPROBLEM: FailureReason.TLS,
    pycurl.E_SSL_CIPHER: FailureReason.TLS,
    pycurl.E_PEER_FAILED_VERIFICATION: FailureReason.TLS,
    pycurl.E_SSL_CACERT_BADFILE: FailureReason.TLS,
    pycurl.E_SSL_INVALIDCERTSTATUS: FailureReason.TLS,
    pycurl.E_SSL_ISSUER_ERROR: FailureReason.TLS,
    pycurl.E_BAD_CONTENT_ENCODING: FailureReason.BAD_ANSWER,
    pycurl.E_HTTP2: FailureReason.BAD_ANSWER,
    92: FailureReason.BAD_ANSWER,  # CURLE_HTTP2_STREAM, which pycurl does not name
    100: FailureReason.TOO_LARGE,  # CURLE_TOO_LARGE: one header line over libcurl's own bound
}

# First match wins; libcurl hands on OpenSSL's words, and some of the server's own: they decide no more than a label.
_TLS_WORDS = (
    ("subject name", FailureReason.TLS_NAME),
    ("does not match", FailureReason.TLS_NAME),
    ("has expired", FailureReason.TLS_EXPIRED),
    ("not yet valid", FailureReason.TLS_EXPIRED),
    ("self-signed", FailureReason.TLS_CHAIN),
    ("self signed", FailureReason.TLS_CHAIN),
    ("issuer", FailureReason.TLS_CHAIN),
    ("unable to verify", FailureReason.TLS_CHAIN),
    ("invalid ca", FailureReason.TLS_CHAIN),
    ("protocol version", FailureReason.TLS_LEGACY),
    ("unsupported protocol", FailureReason.TLS_LEGACY),
    ("version too low", FailureReason.TLS_LEGACY),
    ("too weak", FailureReason.TLS_LEGACY),
    ("too small", FailureReason.TLS_LEGACY),
    ("legacy renegotiation", FailureReason.TLS_LEGACY),
    ("insufficient security", FailureReason.TLS_LEGACY),
    ("reset by peer", FailureReason.RESET),
    ("unexpected eof", FailureReason.RESET),
)
_UNREACHABLE = frozenset(
    {
        errno.ENETUNREACH,
        errno.EHOSTUNREACH,
        errno.ENETDOWN,
        errno.EHOSTDOWN,
        errno.EADDRNOTAVAIL,
        errno.EACCES,
    }
)


def explain(code: int, message: str, os_errno: int = 0) -> tuple[FailureReason, str]:
    """The reason behind an error of libcurl, with a detail that people can read."""
    reason = _BY_CODE.get(code, FailureReason.BAD_ANSWER)
    words = message.lower()
    match reason:
        case FailureReason.TLS:
            reason = next(
                (fault for word, fault in _TLS_WORDS if word in words), reason
            )
        case FailureReason.REFUSED if os_errno in _UNREACHABLE:
            reason = FailureReason.UNREACHABLE
        case FailureReason.REFUSED if os_errno == errno.ETIMEDOUT:
            reason = FailureReason.CONNECT_TIMEOUT
        case FailureReason.CONNECT_TIMEOUT if "resolving" in words:
            reason = FailureReason.DNS_TIMEOUT
        case FailureReason.RESET if (
            "chunk" in words or "malformed" in words or "invalid" in words
        ):
            reason = FailureReason.BAD_ANSWER
        case FailureReason.RESET if "too large" in words:
            reason = FailureReason.TOO_LARGE
    return reason, message
