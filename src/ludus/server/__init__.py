"""The web table: an HTTP and WebSocket API, the database behind it, and the page that uses it. No algorithm is here."""
