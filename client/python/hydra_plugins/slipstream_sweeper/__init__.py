"""Slipstream for Hydra: a sweeper, chosen by `hydra/sweeper=slipstream`.

`slipstream.adapters.hydra` explains it."""
