"""The experiments of five papers, run by our own programs, and what their claims come to there."""
