"""What libcurl's errors mean to us."""

from __future__ import annotations

import pycurl

from geohound.model.visit import FailureReason

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

# First match wins; libcurl hands on OpenSSL's words.
_TLS_WORDS = (
    ("expired", "expired"),
    ("not yet valid", "not yet valid"),
    ("self-signed", "self-signed"),
    ("self signed", "self-signed"),
    ("issuer", "chain"),
    ("unable to verify", "chain"),
    ("subject name", "name"),
    ("does not match", "name"),
    ("revoked", "revoked"),
)


def explain(code: int, message: str) -> tuple[FailureReason, str]:
    """The reason behind an error of libcurl, with a detail that people can read."""
    reason = _BY_CODE.get(code, FailureReason.BAD_ANSWER)
    words = message.lower()
    if reason is FailureReason.TLS:
        fault = next((name for word, name in _TLS_WORDS if word in words), "handshake")
        return reason, f"{fault}: {message}"
    if reason is FailureReason.CONNECT_TIMEOUT and "resolving" in words:
        return FailureReason.DNS, message
    if reason is FailureReason.RESET and ("chunk" in words or "malformed" in words or "invalid" in words):
        return FailureReason.BAD_ANSWER, message
    if reason is FailureReason.RESET and "too large" in words:
        return FailureReason.TOO_LARGE, message
    return reason, message
