"""Runs studies of presets on problems, compares them with recorded peers and draws them."""
