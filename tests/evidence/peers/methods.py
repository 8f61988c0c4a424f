"""The table of peers."""

import collections.abc
import dataclasses
import importlib


@dataclasses.dataclass
class Settings:
    """What a peer is told of a study besides its space."""

    trials: int
    workers: int
    noiseless: bool
    candidates: list = dataclasses.field(default_factory=list)  # Configurations as texts.
    sources: list = dataclasses.field(default_factory=list)     # As Objective has them.


@dataclasses.dataclass
class Method:
    module: str  # Imported only where it is used: some take seconds.
    factory: str
    summary: str
    # Whether it was made for spaces with conditions; others are given a value for every parameter
    # and see the inactive ones' as well.
    conditional: bool
    # Whether it is told source tasks and chooses among candidates; others know neither.
    transfers: bool = False

    def make(self, space, seed, settings):
        """A peer with ask(), which returns a configuration, and tell(configuration, loss)."""
        factory = getattr(importlib.import_module(f"peers.{self.module}"), self.factory)
        return factory(space, seed, settings)


METHODS: collections.abc.Mapping[str, Method] = {
    "optuna_tpe": Method("optuna_peers", "tree_parzen",
                         "Optuna's TPESampler, multivariate and grouped", True),
    "optuna_gp": Method("optuna_peers", "gaussian_process",
                        "Optuna's GPSampler, which models parameters that are always active and "
                        "draws the others", False),
    "smac": Method("smac_peer", "SmacPeer",
                   "SMAC3's HyperparameterOptimizationFacade", True),
    "botorch_mixed": Method("botorch_peer", "mixed",
                            "BoTorch's MixedSingleTaskGP, log EI and mixed alternating search",
                            False),
    "botorch_conditional": Method("botorch_peer", "conditional",
                                  "the same with HierarchicalConditionalKernelGP", True),
    "botorch_multitask": Method("multitask_peer", "MultiTaskPeer",
                                "BoTorch's MultiTaskGP; only for problems with source tasks", False,
                                transfers=True),
    "hebo": Method("hebo_peer", "HeboPeer", "HEBO", False),
}
