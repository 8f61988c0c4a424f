"""The examples that need scikit-learn do what they say."""

import importlib.util
import sys
import unittest

from examples_test import EXAMPLES, run
from servers import ServerTest

import slipstream


@unittest.skipUnless(importlib.util.find_spec("sklearn"), "scikit-learn is not installed")
class Examples(ServerTest):
    def test_the_conditional_space_is_tuned(self):
        self.assertRegex(run(sys.executable, EXAMPLES / "conditional_svm.py", 12), "accuracy 0.9")
        for trial in slipstream.load("example-svm").trials:
            self.assertEqual("degree" in trial, trial["kernel"] == "poly")
            self.assertEqual("gamma" in trial, trial["kernel"] != "linear")

    def test_workers_outlast_one_that_is_killed(self):
        output = run(sys.executable, EXAMPLES / "boosting.py", 16)
        self.assertRegex(output, r"trial (\d+) is stale, repeated as \[\d+")
        study = slipstream.load("example-boosting-2")
        self.assertGreaterEqual(study.description.succeeded_count, 16)
        self.assertEqual(len(study.sources), 1)


if __name__ == "__main__":
    unittest.main()
