"""The examples that need scikit-learn do what they say."""

import sys
import unittest

from examples_test import EXAMPLES, run
from servers import ServerTest

import slipstream


class Examples(ServerTest):
    def test_the_conditional_space_is_tuned(self):
        self.assertRegex(run(sys.executable, EXAMPLES / "conditional_svm.py", 8), "accuracy 0.9")
        for trial in slipstream.load("example-svm").trials:
            self.assertEqual("degree" in trial, trial["kernel"] == "poly")
            self.assertEqual("gamma" in trial, trial["kernel"] != "linear")

    def test_workers_that_boost_outlast_one_that_is_killed(self):
        self.check_workers("boosting", hyperparameters=11)

    def test_workers_that_train_a_network_outlast_one_that_is_killed(self):
        self.check_workers("perceptron", hyperparameters=8)

    def check_workers(self, example, hyperparameters):
        output = run(sys.executable, EXAMPLES / f"{example}.py", 8)
        self.assertRegex(output, r"trial (\d+) is stale, repeated as \[\d+")
        earlier, study = (slipstream.load(f"example-{example}-{split}") for split in (1, 2))
        self.assertEqual(len(study.space), hyperparameters)
        self.assertGreaterEqual(study.description.succeeded_count, 8)
        (task,) = [one for one in slipstream.sources() if one.name in study.sources]
        self.assertEqual((task.title, task.measured_count), (earlier.id, 8))
        self.assertGreater(study.best.value, 0.9)


if __name__ == "__main__":
    unittest.main()
