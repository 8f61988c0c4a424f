"""Turns messages of the protocol into the package's own types and back, in this place alone."""
