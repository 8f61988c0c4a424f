"""The search algorithm in Ray Tune's own loop."""

import os
import signal
import tempfile
import unittest
from unittest import mock

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
os.environ.setdefault("RAY_AIR_NEW_OUTPUT", "0")

import ray  # noqa: E402
from docstrings import try_examples  # noqa: E402
from ray import tune  # noqa: E402
from ray.tune.schedulers import ASHAScheduler  # noqa: E402
from servers import PATIENCE, ServerTest  # noqa: E402
from terminated import TerminatedTest  # noqa: E402

import slipstream  # noqa: E402
from slipstream import choice, integer, log, real  # noqa: E402
from slipstream.adapters._ray_values import nested, translate_all  # noqa: E402
from slipstream.adapters.ray import SlipstreamSearch  # noqa: E402


def bowl(config):
    assert config["fixed"] == 7
    return {"loss": (config["x"] - 2) ** 2 + config["net"]["layers"] + len(config["net"]["name"])}


def stepwise(config):
    for step in range(1, 9):
        tune.report({"loss": config["x"] + 1 / step})


def broken(config):
    if config["x"] > 0.5:
        raise RuntimeError("too large")
    return {"loss": float("nan") if config["x"] < 0.2 else config["x"]}


class Values(unittest.TestCase):
    def test_domains_become_parameters(self):
        translations = translate_all({
            "a": tune.uniform(0, 1), "b": tune.loguniform(1e-3, 1), "c": tune.randint(1, 5),
            "d": {"e": tune.choice(["x", "y"]), "f": 3}, "g": tune.lograndint(1, 10),
            "h": tune.quniform(0.2, 0.6, 0.2), "i": tune.qrandint(4, 16, 4),
            "j": tune.choice([None, 1, (2, 3)])})
        self.assertEqual({name: one.parameter for name, one in translations.items()}, {
            "a": real(0, 1), "b": log(1e-3, 1), "c": integer(1, 4), "d/e": choice("x", "y"),
            "g": integer(1, 9, scale="log"), "h": integer(0, 2), "i": integer(0, 3),
            "j": choice("None", "1", "(2, 3)")})
        config = nested({"d/e": "y", "h": 1, "i": 3, "j": "(2, 3)"}, translations)
        self.assertEqual(config, {"d": {"e": "y"}, "h": 0.4, "i": 16, "j": (2, 3)})

    def test_quantized_domains_keep_their_logarithmic_scale(self):
        translations = translate_all({"a": tune.qloguniform(0.5, 8, 0.5),
                                      "b": tune.qlograndint(4, 64, 4)})
        self.assertEqual({name: one.parameter for name, one in translations.items()},
                         {"a": integer(1, 16, scale="log"), "b": integer(1, 16, scale="log")})
        self.assertEqual(nested({"a": 1, "b": 16}, translations), {"a": 0.5, "b": 64})

    def test_what_is_no_space_is_refused_naming_it(self):
        for domain, words in ((tune.randn(), "neither uniform"),
                              (tune.sample_from(lambda spec: 1), "a function")):
            with self.assertRaisesRegex(TypeError, f"'a/b': .*{words}"):
                translate_all({"a": {"b": domain}})
        with self.assertRaisesRegex(ValueError, "grid_search at a"):
            translate_all({"a": tune.grid_search([1, 2])})


class Search(ServerTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False,
                 logging_level="error", object_store_memory=100 << 20)
        cls.addClassCleanup(ray.shutdown)

    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def tune(self, train, space, samples, search=None, **arguments):
        search = search or SlipstreamSearch(study_id=self.study_id, seed=1)
        config = tune.TuneConfig(metric="loss", mode="min", num_samples=samples,
                                 search_alg=search, max_concurrent_trials=2, **arguments)
        tuner = tune.Tuner(train, tune_config=config, param_space=space, run_config=tune.RunConfig(
            storage_path=self.folder, name="run", verbose=0))
        return tuner.fit(), slipstream.load(self.study_id)

    def test_it_finds_the_best_and_the_study_has_all(self):
        space = {"x": tune.uniform(-5, 5), "fixed": 7,
                 "net": {"layers": tune.randint(1, 4), "name": tune.choice(["a", "bbb"])}}
        results, study = self.tune(bowl, space, 12)
        self.assertEqual([trial.state for trial in study.trials], ["succeeded"] * 12)
        self.assertAlmostEqual(study.best.value, results.get_best_result().metrics["loss"])
        self.assertLess(study.best.value, 6)
        self.assertEqual(sorted(trial.value for trial in study.trials),
                         sorted(result.metrics["loss"] for result in results))

    def test_its_example_runs(self):
        with mock.patch.dict(os.environ, {"HOME": self.folder}):  # For Tune's results.
            self.assertGreater(try_examples(self, slipstream.adapters.ray), 5)

    def test_trials_that_a_scheduler_stops_keep_what_they_reported(self):
        scheduler = ASHAScheduler(max_t=8, grace_period=1, reduction_factor=2)
        _, study = self.tune(stepwise, {"x": tune.uniform(0, 1)}, 6,
                             SlipstreamSearch(study_id=self.study_id, seed=1, whole_steps=8),
                             scheduler=scheduler)
        states = {trial.state for trial in study.trials}
        self.assertEqual(states, {"succeeded", "stopped"})
        for trial in study.trials:
            reports = study.reports(trial)
            self.assertEqual(trial.state == "succeeded", max(reports) == 8)
            self.assertAlmostEqual(trial.value, reports[max(reports)])

    def test_errors_and_values_that_are_no_numbers(self):
        _, study = self.tune(broken, {"x": tune.uniform(0, 1)}, 6)
        self.assertEqual(len(study.trials), 6)
        for trial in study.trials:
            expected = ("failed" if trial["x"] > 0.5 else "infeasible" if trial["x"] < 0.2
                        else "succeeded")
            self.assertEqual(trial.state, expected)

    def test_a_space_with_conditions(self):
        space = {"x": real(0, 1), "net/kind": choice("a", "b"),
                 "net/size": integer(1, 9, when={"net/kind": "b"})}
        search = SlipstreamSearch(space, study_id=self.study_id, seed=1)
        results, study = self.tune(
            lambda config: {"loss": config["x"] + config["net"].get("size", 0)}, {"fixed": 1}, 6,
            search)
        self.assertEqual(len(study.trials), 6)
        self.assertEqual({len(trial.params) for trial in study.trials}, {2, 3})
        self.assertTrue(all(result.config["fixed"] == 1 for result in results))

    def test_what_was_suggested_before_a_restore_is_recorded(self):
        search = SlipstreamSearch({"x": real(0, 1)}, study_id=self.study_id, metric="loss",
                                  mode="min")
        config = search.suggest("one")
        search.save(f"{self.folder}/search")
        again = SlipstreamSearch({"x": real(0, 1)}, metric="loss", mode="min")
        again.restore(f"{self.folder}/search")
        again.on_trial_complete("one", {"loss": 0.5})
        self.assertEqual(slipstream.load(self.study_id).best.params, config)
        search.on_trial_complete("one", {"loss": 0.5})  # Ends the renewals.


class Terminated(TerminatedTest):
    def test_trials_are_given_back(self):
        """Ray handles the signal itself, by an exception."""
        process = self.start("""
            os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
            import ray
            from ray import tune
            from slipstream.adapters.ray import SlipstreamSearch

            class Search(SlipstreamSearch):
                def suggest(self, trial_id):
                    suggested = super().suggest(trial_id)
                    say("at work")
                    return suggested

            def train(config):
                work()

            ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
            config = tune.TuneConfig(metric="loss", mode="min", max_concurrent_trials=2,
                                     num_samples=2, search_alg=Search(study_id=study_id))
            tune.Tuner(train, tune_config=config, run_config=tune.RunConfig(verbose=0),
                       param_space={"x": tune.uniform(0, 1)}).fit()
        """, 2)
        self.study = slipstream.load(self.study_id)
        self.assertEqual(self.states(), ["active"] * 2)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE)
        self.assertEqual(self.states(), ["requested"] * 2)


if __name__ == "__main__":
    unittest.main()
