"""A server for the lifetime of a script, which scripts that use the same file share."""
