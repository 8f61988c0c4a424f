"""Slipstream inside other people's programs. Each module needs the package that it is named after.

- `slipstream.adapters.hydra`: a sweeper for Hydra's programs, `hydra/sweeper=slipstream`
- `slipstream.adapters.lightning`: `SlipstreamCallback`, a callback for PyTorch Lightning's trainer
- `slipstream.adapters.optuna`: `SlipstreamSampler`, a sampler for Optuna's studies
- `slipstream.adapters.ray`: `SlipstreamSearch`, a search algorithm for Ray Tune
- `slipstream.adapters.sklearn`: `SlipstreamSearchCV`, a search for scikit-learn's estimators
"""
