"""The version of backlit; reading it from the installed package takes 25 ms."""

VERSION = "1.0.0"
