"""What Hydra finds by this folder: the sweeper, and its settings."""

from hydra.core.config_store import ConfigStore

from slipstream.adapters.hydra import SlipstreamSweeperConf, SuggestingSweeper


class SlipstreamSweeper(SuggestingSweeper):
    """The sweeper; Hydra takes only classes of modules in this folder."""


ConfigStore.instance().store(
    group="hydra/sweeper", name="slipstream", node=SlipstreamSweeperConf, provider="slipstream"
)
