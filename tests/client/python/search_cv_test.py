"""The search among scikit-learn's own searches, with the version of scikit-learn that there is.

adapters/sklearn_test.py tests it with those that it is made for."""

import math
import unittest
import warnings

from servers import ServerTest

import slipstream

try:
    from sklearn import datasets
    from sklearn.exceptions import FitFailedWarning
    from sklearn.linear_model import LogisticRegression

    from slipstream.adapters.sklearn import SlipstreamSearchCV
except ImportError:
    raise unittest.SkipTest("scikit-learn is missing") from None


class Failures(ServerTest):
    def search(self, **arguments):
        x, y = datasets.load_iris(return_X_y=True)
        space = {"solver": ["unknown", "liblinear"]}
        search = SlipstreamSearchCV(LogisticRegression(), space, n_iter=8, cv=3, random_state=1,
                                    **arguments)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            search.fit(x, y)
        told = [str(one.message) for one in caught if one.category is FitFailedWarning]
        return search, told

    def test_what_fails_has_its_error_score_and_is_infeasible(self):
        for batch_size in (1, 8):  # Batches that fail as a whole, and in part.
            for score in (math.nan, 0, -5.0):
                search, told = self.search(batch_size=batch_size, error_score=score)
                self.assertTrue(told)
                for text in told:
                    self.assertIn(f"set to {score}.", text)
                self.assertIs(search.error_score, score)
                trials = slipstream.load(search.study_id_).trials
                found = search.cv_results_
                self.assertEqual(len(found["params"]), 8)
                self.assertEqual({trial.state for trial in trials}, {"succeeded", "infeasible"})
                for row, trial in enumerate(trials):
                    failed = trial["solver"] == "unknown"
                    self.assertEqual(trial.state, "infeasible" if failed else "succeeded")
                    for name in ("mean_test_score", "split0_test_score"):
                        value = found[name][row]
                        same = value == score or (math.isnan(value) and math.isnan(score))
                        self.assertEqual(same, failed)
                    self.assertGreater(found["mean_fit_time"][row], 0)
                self.assertEqual(search.best_params_, {"solver": "liblinear"})


if __name__ == "__main__":
    unittest.main()
