"""Connections of the web server: acceptance, limits, and the end of idle ones."""
