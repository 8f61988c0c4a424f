"""Slipstream for PyTorch Lightning: a callback that reports epochs and stops hopeless training
runs.

>>> import slipstream, torch
>>> from lightning import pytorch as lightning
>>> from slipstream.adapters.lightning import SlipstreamCallback
>>> class Net(lightning.LightningModule):
...     def __init__(self, lr):
...         super().__init__()
...         self.layer, self.lr = torch.nn.Linear(1, 1), lr
...     def training_step(self, x):
...         loss = (self.layer(x) - 3 * x).square().mean()
...         self.log("loss", loss, on_epoch=True)
...         return loss
...     def configure_optimizers(self):
...         return torch.optim.SGD(self.parameters(), lr=self.lr)
>>> data = torch.utils.data.DataLoader(torch.linspace(-1, 1, 32).reshape(-1, 1), batch_size=8)
>>> space = {"lr": slipstream.log(1e-3, 0.5)}
>>> study = slipstream.create_or_load("doctest-net", space, minimize="loss", stopping="median")
>>> with study.suggest() as trial:
...     trainer = lightning.Trainer(max_epochs=3, callbacks=[SlipstreamCallback(trial)],
...                                 logger=False, enable_checkpointing=False,
...                                 enable_model_summary=False, enable_progress_bar=False)
...     trainer.fit(Net(**trial), data)
>>> study.best.report_count
3

The callback reports the study's metric, as the module logs it, after each validation or, in a
module that does not validate, after each epoch of training. When the study's rule advises to stop,
the training run ends, and the trial is stopped with the last reported value. After the last epoch,
the trial is completed with the last reported value, unless `complete=False`. Once the metric is NaN
or infinite, the training run ends, and the trial is infeasible."""

from __future__ import annotations

import math
from typing import Any, Optional

try:
    from lightning.pytorch import Callback
except ImportError:
    from pytorch_lightning import Callback

from slipstream.trial import Trial


class SlipstreamCallback(Callback):  # type: ignore[misc]
    """Reports a trial's metric and stops its training.

    `trial`: from `study.suggest()`.
    `monitor`: the name under which the module logs the metric; by default, the name of the study's
    metric.
    `complete`: whether the trial is completed at the end with the last value, or is infeasible if
    that value is not finite. Give False if the program ends the trial itself, for example with
    another value that it measures at the end.

    If several processes train together, only the first one talks to the server, and tells the
    others when to stop."""

    def __init__(
        self, trial: Trial, monitor: Optional[str] = None, *, complete: bool = True
    ) -> None:
        super().__init__()
        self._trial = trial
        self._monitor = monitor or trial._holder.metric
        self._complete = complete
        self._last: Optional[float] = None

    def on_validation_end(self, trainer: Any, pl_module: Any) -> None:
        if not trainer.sanity_checking:
            self._report(trainer)

    def on_train_epoch_end(self, trainer: Any, pl_module: Any) -> None:
        if not trainer.enable_validation:
            self._report(trainer)

    def on_fit_end(self, trainer: Any, pl_module: Any) -> None:
        if not trainer.is_global_zero or self._trial.ended:
            return
        if self._trial.stop_reason is not None:
            self._trial.stop()
        elif self._complete:
            if self._last is None:
                raise self._nothing_logged(trainer)
            if math.isfinite(self._last):
                self._trial.complete(self._last)
            else:
                self._trial.infeasible(f"{self._monitor} is {self._last}")

    def _report(self, trainer: Any) -> None:
        if self._monitor not in trainer.callback_metrics:
            raise self._nothing_logged(trainer)
        self._last = float(trainer.callback_metrics[self._monitor])
        stop = False
        if not math.isfinite(self._last):
            stop = True
        elif trainer.is_global_zero:
            self._trial.report(trainer.current_epoch + 1, self._last)
            stop = self._trial.should_stop()
        trainer.should_stop |= trainer.strategy.reduce_boolean_decision(stop, all=False)

    def _nothing_logged(self, trainer: Any) -> Exception:
        logged = ", ".join(sorted(trainer.callback_metrics)) or "nothing"
        return KeyError(
            f"the module has not logged {self._monitor!r} but {logged}: log it by "
            f"self.log({self._monitor!r}, value), or give monitor="
        )
