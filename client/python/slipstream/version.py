"""The package's version, which is the server's too."""

VERSION = "0.1.0"
