"""The callback, with PyTorch Lightning's real trainer."""

import logging
import unittest
import uuid
import warnings

import torch
from docstrings import try_examples
from lightning import pytorch
from servers import ServerTest

import slipstream
from slipstream import log
from slipstream.adapters.lightning import SlipstreamCallback

for name in ("lightning.pytorch", "lightning.fabric"):
    logging.getLogger(name).setLevel(logging.ERROR)
warnings.filterwarnings("ignore", module="lightning|torch")


class Line(pytorch.LightningModule):
    """Learns y = 3 x, from batches that it makes itself."""

    def __init__(self, lr):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(1))
        self.lr = lr
        self.trained = 0

    def loss(self, x):
        return ((self.weight - 3) * x).square().mean()

    def training_step(self, batch, _):
        loss = self.loss(batch)
        self.log("train_loss", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, _):
        self.log("loss", self.loss(batch))

    def on_train_epoch_end(self):
        self.trained += 1

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.lr)

    def train_dataloader(self):
        return torch.utils.data.DataLoader(torch.linspace(-1, 1, 8), batch_size=4)

    val_dataloader = train_dataloader


class NoValidation(Line):
    val_dataloader = pytorch.LightningModule.val_dataloader
    validation_step = pytorch.LightningModule.validation_step


def fit(module, callback, epochs=5):
    trainer = pytorch.Trainer(
        max_epochs=epochs, callbacks=[callback], accelerator="cpu", logger=False,
        enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False)
    trainer.fit(module)
    return trainer


class Callback(ServerTest):
    def study(self, **settings):
        return slipstream.create_or_load(f"pl-{uuid.uuid4().hex[:8]}", {"lr": log(1e-3, 0.5)},
                                         minimize="loss", **settings)

    def test_each_validation_is_reported_and_the_last_completes_the_trial(self):
        study = self.study()
        with study.suggest() as trial:
            trainer = fit(Line(**trial), SlipstreamCallback(trial))
        record = study.trials[0]
        self.assertEqual(record.state, "succeeded")
        reports = study.reports(record)
        self.assertEqual(list(reports), [1, 2, 3, 4, 5])
        self.assertGreater(reports[1], reports[5])
        self.assertEqual(record.value, reports[5])
        self.assertAlmostEqual(record.value, float(trainer.callback_metrics["loss"]), places=6)

    def test_its_example_runs(self):
        self.assertGreater(try_examples(self, slipstream.adapters.lightning), 8)

    def test_a_hopeless_training_is_stopped(self):
        study = self.study(stopping="median", seed=1)
        for _ in range(6):
            with study.suggest() as trial:
                fit(Line(lr=0.3), SlipstreamCallback(trial))
        with study.suggest() as trial:
            module = Line(lr=1e-6)
            fit(module, SlipstreamCallback(trial), epochs=50)
            self.assertIn("median", trial.stop_reason)
        self.assertLess(module.trained, 50)
        record = study.trials[-1]
        self.assertEqual(record.state, "stopped")
        self.assertEqual(record.value, study.reports(record)[record.last_step])

    def test_without_validation_the_epochs_of_training_are_reported(self):
        study = self.study()
        with study.suggest() as trial:
            fit(NoValidation(lr=0.1), SlipstreamCallback(trial, monitor="train_loss"))
        self.assertEqual(list(study.reports(study.trials[0])), [1, 2, 3, 4, 5])
        self.assertEqual(study.best.number, 1)

    def test_the_trainer_may_complete_the_trial_itself(self):
        study = self.study()
        with study.suggest() as trial:
            fit(Line(**trial), SlipstreamCallback(trial, complete=False))
            self.assertFalse(trial.ended)
            trial.complete(0.25)
        self.assertEqual(study.best.value, 0.25)

    def test_a_training_that_diverges_ends_and_is_infeasible(self):
        study = self.study()
        with study.suggest() as trial:
            module = Line(lr=1e30)
            fit(module, SlipstreamCallback(trial), epochs=50)
        self.assertLess(module.trained, 50)
        record = study.trials[0]
        self.assertEqual(record.state, "infeasible")
        self.assertRegex(record.reason, "loss is (nan|inf)")

    def test_what_is_not_logged_is_told_with_what_is(self):
        study = self.study()
        with self.assertRaisesRegex(KeyError, "has not logged 'f1' but loss:"):
            with study.suggest() as trial:
                fit(Line(**trial), SlipstreamCallback(trial, monitor="f1"))
        self.assertEqual(study.trials[0].state, "failed")


if __name__ == "__main__":
    unittest.main()
