"""The middleware; the map of its modules stands here."""
