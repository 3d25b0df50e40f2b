"""The registry of export formats: services in, bytes out, streamed."""
