"""The search among scikit-learn's own searches."""

import math
import pickle
import unittest
import warnings

import numpy
from docstrings import try_examples
from scipy import stats
from servers import ServerTest
from sklearn import datasets, model_selection
from sklearn.base import clone
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils._test_common.instance_generator import PER_ESTIMATOR_XFAIL_CHECKS
from sklearn.utils.estimator_checks import check_estimator
from terminated import TerminatedTest

import slipstream
from slipstream import choice, integer, log
from slipstream.adapters.sklearn import SlipstreamSearchCV

# What scikit-learn does not ask of its own searches.
EXPECTED_TO_FAIL = PER_ESTIMATOR_XFAIL_CHECKS[model_selection.RandomizedSearchCV]


class EstimatorChecks(ServerTest):
    def check(self, search):
        results = check_estimator(search, expected_failed_checks=EXPECTED_TO_FAIL, on_fail=None,
                                  on_skip=None)
        failed = {one["check_name"]: one["exception"] for one in results
                  if one["status"] == "failed"}
        self.assertEqual(failed, {})
        self.assertGreater(sum(one["status"] == "passed" for one in results), 40)

    def test_of_a_classifier(self):
        self.check(SlipstreamSearchCV(LogisticRegression(), {"C": log(1e-3, 10)}, n_iter=2, cv=3,
                                      error_score="raise"))

    def test_of_a_regressor(self):
        self.check(SlipstreamSearchCV(Ridge(), {"alpha": [0.1, 1.0]}, n_iter=2, cv=3,
                                      error_score="raise"))

    def test_of_a_pipeline(self):
        pipeline = make_pipeline(StandardScaler(with_mean=False), Ridge())
        self.check(SlipstreamSearchCV(pipeline, {"ridge__alpha": log(0.1, 1)}, n_iter=2, cv=3,
                                      error_score="raise"))


class Search(ServerTest):
    def setUp(self):
        super().setUp()
        self.x, self.y = datasets.load_breast_cancer(return_X_y=True)

    def search(self, space, estimator=None, **arguments):
        model = make_pipeline(StandardScaler(), estimator or SVC())
        arguments = {"n_iter": 8, "cv": 3, "random_state": 1, **arguments}
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return SlipstreamSearchCV(model, space, **arguments).fit(self.x, self.y)

    def test_the_study_has_what_the_search_found(self):
        space = {"svc__C": log(1e-3, 1e3), "svc__kernel": choice("rbf", "poly"),
                 "svc__degree": integer(2, 4, when={"svc__kernel": "poly"})}
        search = self.search(space, n_iter=20)
        study = slipstream.load(search.study_id_)
        self.assertEqual(len(study.trials), 20)
        self.assertEqual(len(search.cv_results_["params"]), 20)
        self.assertAlmostEqual(study.best.value, search.best_score_)
        self.assertEqual(dict(study.best.params), search.best_params_)
        self.assertGreater(search.best_score_, 0.97)
        self.assertGreater(search.predict(self.x).mean(), 0.5)

    def test_its_example_runs(self):
        self.assertGreater(try_examples(self, slipstream.adapters.sklearn), 5)

    def test_lists_and_distributions_of_scipy_are_taken(self):
        space = {"svc__C": stats.loguniform(1e-2, 1e2), "svc__gamma": stats.uniform(0.01, 0.2),
                 "svc__degree": stats.randint(2, 5), "svc__kernel": ["rbf", "poly"],
                 "svc__class_weight": [None, "balanced", {0: 2.0}], "svc__cache_size": [100, 200]}
        search = self.search(space, n_iter=12)
        for params in search.cv_results_["params"]:
            self.assertIn(params["svc__degree"], (2, 3, 4))
            self.assertTrue(0.01 <= params["svc__gamma"] <= 0.21)
            self.assertIn(params["svc__class_weight"], space["svc__class_weight"])
            self.assertIn(params["svc__cache_size"], (100, 200))
            self.assertIsInstance(params["svc__cache_size"], int)
        study = slipstream.load(search.study_id_)
        self.assertEqual(study.space["svc__degree"], integer(2, 4))
        self.assertEqual(study.space["svc__C"], log(1e-2, 1e2))

    def test_other_distributions_are_refused_naming_the_parameter(self):
        for distribution in (stats.norm(0, 1), "rbf", 7, []):
            with self.assertRaisesRegex((TypeError, ValueError), "parameter 'svc__C': "):
                self.search({"svc__C": distribution})
        with self.assertRaisesRegex(TypeError, "must be one dict.*when="):
            self.search([{"svc__C": [1, 2]}, {"svc__kernel": ["rbf"]}])

    def test_batches_are_fitted_together(self):
        search = self.search({"svc__C": log(1e-3, 1e3)}, n_iter=7, batch_size=3, n_jobs=2)
        values = [params["svc__C"] for params in search.cv_results_["params"]]
        self.assertEqual(len(set(values)), 7)
        self.assertEqual(len(slipstream.load(search.study_id_).trials), 7)

    def test_equal_seeds_give_equal_searches(self):
        first, second = (self.search({"svc__C": log(1e-3, 1e3)}) for _ in range(2))
        self.assertNotEqual(first.study_id_, second.study_id_)
        self.assertEqual(first.cv_results_["params"], second.cv_results_["params"])

    def test_a_study_with_a_name_goes_on(self):
        for count in (4, 8):
            self.search({"svc__C": log(1e-3, 1e3)}, n_iter=4, study_id=self.study_id)
            self.assertEqual(len(slipstream.load(self.study_id).trials), count)

    def test_one_of_several_scores_is_searched_by(self):
        several = {"scoring": ["accuracy", "f1"], "n_iter": 3}
        search = self.search({"svc__C": log(1e-3, 1e3)}, refit="f1", **several)
        study = slipstream.load(search.study_id_)
        self.assertEqual(study.objective.metric, "f1")
        self.assertAlmostEqual(study.best.value, max(search.cv_results_["mean_test_f1"]))
        for refit in (False, lambda results: 0):
            with self.assertRaisesRegex(ValueError, "search by"):
                self.search({"svc__C": log(1e-3, 1e3)}, refit=refit, **several)

    def test_what_cannot_be_fitted_is_infeasible(self):
        space = {"logisticregression__C": log(1e-3, 10),
                 "logisticregression__solver": ["lbfgs", "unknown"]}
        model = make_pipeline(StandardScaler(), LogisticRegression())
        search = SlipstreamSearchCV(model, space, n_iter=10, cv=3, random_state=1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Some fits fail.
            search.fit(self.x, self.y)
        states = {(trial["logisticregression__solver"], trial.state)
                  for trial in slipstream.load(search.study_id_).trials}
        self.assertEqual(states, {("lbfgs", "succeeded"), ("unknown", "infeasible")})

    def test_what_cannot_be_fitted_has_rows_as_in_a_randomized_search(self):
        space = {"logisticregression__C": stats.loguniform(1e-3, 10),
                 "logisticregression__solver": ["lbfgs", "unknown"]}
        model = make_pipeline(StandardScaler(), LogisticRegression())
        for batch_size, scoring in ((1, None), (3, ["accuracy", "f1"])):
            arguments = {"n_iter": 10, "cv": 3, "random_state": 1, "scoring": scoring,
                         "return_train_score": True, "refit": "f1" if scoring else True}
            ours = SlipstreamSearchCV(model, space, batch_size=batch_size, **arguments)
            theirs = model_selection.RandomizedSearchCV(model, space, **arguments)
            for search in (ours, theirs):
                with self.assertWarns(FitFailedWarning) as caught:
                    search.fit(self.x, self.y)
                self.assertIn("'solver' parameter of LogisticRegression must be",
                              str(caught.warning))
            found = ours.cv_results_
            self.assertEqual(sorted(found), sorted(theirs.cv_results_))
            self.assertEqual({len(column) for column in found.values()}, {10})
            rank = f"rank_test_{'f1' if scoring else 'score'}"
            trials = slipstream.load(ours.study_id_).trials
            self.assertIn("infeasible", [trial.state for trial in trials])
            fitted = sum(trial.state == "succeeded" for trial in trials)
            for row, trial in enumerate(trials):
                self.assertEqual(found["params"][row], dict(trial.params))
                failed = trial["logisticregression__solver"] == "unknown"
                self.assertEqual(trial.state, "infeasible" if failed else "succeeded")
                self.assertEqual(found[rank][row] == fitted + 1, failed)
                for name in (rank.replace("rank", "mean"), rank.replace("rank_test", "mean_train")):
                    self.assertEqual(math.isnan(found[name][row]), failed)
            self.assertEqual(ours.best_params_, found["params"][ours.best_index_])
            self.assertEqual(found[rank][ours.best_index_], 1)

    def test_a_score_for_what_cannot_be_fitted_is_taken(self):
        search = SlipstreamSearchCV(LogisticRegression(), {"solver": ["unknown", "liblinear"]},
                                    n_iter=6, cv=3, random_state=1, error_score=0)
        with self.assertWarnsRegex(FitFailedWarning, "are set to 0"):
            search.fit(self.x, self.y)
        for params, score in zip(search.cv_results_["params"],
                                 search.cv_results_["mean_test_score"]):
            self.assertEqual(score == 0, params["solver"] == "unknown")

    def test_a_parameter_that_the_estimator_does_not_have_is_refused_at_once(self):
        with self.assertRaisesRegex(ValueError, "Invalid parameter 'D'"):
            self.search({"svc__D": log(1e-3, 1e3)}, study_id=self.study_id)
        self.assertEqual(len(slipstream.load(self.study_id).trials), 1)

    def test_where_nothing_can_be_fitted_the_search_raises_too(self):
        with self.assertRaisesRegex(ValueError, "All the 3 fits failed"):
            self.search({"svc__C": log(1e-3, 1e3)}, n_iter=3, study_id=self.study_id,
                        estimator=SVC(kernel="unknown"))
        states = [trial.state for trial in slipstream.load(self.study_id).trials]
        self.assertEqual(states, ["infeasible"] * 3)

    def test_a_fit_that_raises_fails_its_trial(self):
        with self.assertRaises(ValueError):
            self.search({"svc__C": log(1e-3, 1e3)}, error_score="raise", study_id=self.study_id,
                        estimator=SVC(kernel="unknown"))
        (trial,) = slipstream.load(self.study_id).trials
        self.assertEqual(trial.state, "failed")
        self.assertIn("unknown", trial.reason)

    def test_it_is_cloned_and_pickled(self):
        search = self.search({"svc__C": log(1e-3, 1e3)}, n_iter=3)
        again = pickle.loads(pickle.dumps(search))
        self.assertTrue(numpy.array_equal(again.predict(self.x), search.predict(self.x)))
        self.assertEqual(clone(search).get_params()["param_distributions"],
                         search.param_distributions)


class Terminated(TerminatedTest):
    def test_trials_are_given_back(self):
        for jobs in (1, 2):
            self.check_gives_back(f"""
                from sklearn.base import BaseEstimator
                from slipstream.adapters.sklearn import SlipstreamSearchCV

                class Busy(BaseEstimator):
                    def __init__(self, size=1):
                        self.size = size

                    def fit(self, x, y):
                        work()

                    def score(self, x, y):
                        return 0

                search = SlipstreamSearchCV(
                    Busy(), {{"size": slipstream.integer(1, 9)}}, cv=2, batch_size=2, n_jobs={jobs},
                    study_id=study_id)
                search.fit([[0]] * 4, [0] * 4)
            """, jobs)
            self.setUp()


if __name__ == "__main__":
    unittest.main()
