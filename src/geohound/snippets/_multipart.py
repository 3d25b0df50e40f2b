"""How the coverage is taken out of the parts in which WCS 1.1 sends it."""

UNPACK = (
    "import email",
    'raw = open("coverage.mime", "rb").read().lstrip()',
    'head = b"Content-Type: multipart/mixed; boundary=" + raw.split()[0][2:]',
    'parts = email.message_from_bytes(head + b"\\n\\n" + raw).get_payload()',
    'open("coverage.tif", "wb").write(parts[-1].get_payload(decode=True))',
)
