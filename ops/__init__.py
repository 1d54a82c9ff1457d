"""The operator's command line; not deployed."""
