"""Outbound, one vendor a file, over one HTTP client."""
