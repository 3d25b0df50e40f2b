"""Sends one e-mail by the server that the settings name."""

from __future__ import annotations

import asyncio
import smtplib
from collections.abc import Sequence
from email.message import EmailMessage

TIMEOUT_S = 30.0


class Mailer:
    """To the same people each time."""

    def __init__(
        self, host: str, port: int, sender: str, recipients: Sequence[str]
    ) -> None:
        self._host = host
        self._port = port
        self._sender = sender
        self._recipients = recipients

    async def mail(self, subject: str, text: str) -> str:
        """Why it was not sent; empty where it was."""
        message = EmailMessage()
        message["Subject"] = subject
        message["From"] = self._sender
        message["To"] = ", ".join(self._recipients)
        message.set_content(text)
        return await asyncio.to_thread(self._send, message)

    def _send(self, message: EmailMessage) -> str:
        try:
            with smtplib.SMTP(self._host, self._port, timeout=TIMEOUT_S) as server:
                server.send_message(message)
        except (OSError, smtplib.SMTPException) as error:
            return f"{self._host}:{self._port}: {error}"
        return ""
