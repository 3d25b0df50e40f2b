"""The drawer of export formats."""
