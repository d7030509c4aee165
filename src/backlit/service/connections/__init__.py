"""Connections of the web server: accepting them, bounding them, and ending those that wait too long."""
