"""For each preset of a paper: what it believed and wanted at its first ten suggestions beside what
a program of the paper's equations says (oracles.py)."""

import json
import os
import subprocess
import unittest

import numpy as np

import oracles

PROGRAM = os.environ.get("EVIDENCE_PAPER_STUDY", "evidence_paper_study")
SEARCHED = 200  # Random points at none of which the acquisition may be larger.

_studies = {}


def study_of(name):
    if name not in _studies:
        preset, options, _ = oracles.VARIANTS.get(name, (name, {}, None))
        told = [f"{option}={value}" for option, value in options.items()]
        _studies[name] = json.loads(subprocess.run(
            [PROGRAM, preset, *told], check=True, capture_output=True, text=True).stdout)
    return _studies[name]


def oracle_of(name):
    return oracles.VARIANTS[name][2] if name in oracles.VARIANTS else oracles.ORACLES[name]


def steps_of(preset):
    study = study_of(preset)
    return [oracles.Step(study, step) for step in study["steps"]]


class OraclesTest(unittest.TestCase):
    def close(self, actual, expected, unit, tolerance=1e-6):
        self.assertLess(abs(actual - expected), tolerance * max(1, unit),
                        f"{actual} beside {expected}")

    def check(self, preset, tolerance=1e-6):
        steps = steps_of(preset)
        self.assertEqual(len(steps), 10)
        places = np.random.default_rng(3).uniform(size=(SEARCHED, 2))
        for step in steps:
            belief = oracle_of(preset)(step)
            (mean,), (deviation,) = belief.predict(step.point)
            scale = belief.scale
            # Before there are two results tasks with scales of their own have no unit to tell it in.
            if "predicted_mean" in step.facts or len(step.raw) > 1:
                self.close(step.facts["predicted_mean"], scale.mean + scale.deviation * mean,
                           scale.deviation, tolerance)
                self.close(step.facts["predicted_deviation"], scale.deviation * deviation,
                           scale.deviation, tolerance)
            if belief.acquire is None:  # It wants the largest value of a draw.
                continue
            value = belief.acquire(step.point)[0]
            self.close(step.facts["acquisition_value"], value, abs(value), tolerance)
            elsewhere = belief.acquire(places)
            # A search with sources is a short one: it comes near the best point.
            self.assertLess(elsewhere.max() - value, 1e-2 * (elsewhere.max() - elsewhere.min()))
        return steps


def checked(preset, tolerance):
    def test(self):
        self.check(preset, tolerance)
    return test


# What depends on where a search of the preset's own stops: the best mean, and scores.
SEARCHES = ("envelope_ei", "collaborative_standardized")

for name in (*oracles.ORACLES, *oracles.VARIANTS):
    setattr(OraclesTest, f"test_{name}", checked(name, 1e-4 if name in SEARCHES else 1e-6))


class RecipesTest(unittest.TestCase):
    """What the posterior at a suggestion does not show."""

    def test_deltabo_and_scaml_begin_before_the_first_result(self):
        for preset in ("deltabo", "scaml_standardized"):
            self.assertEqual(len(steps_of(preset)[0].raw), 0)
        for preset in ("cmbo_wss_wss", "rm_gp_ucb"):
            self.assertEqual(len(steps_of(preset)[0].raw), 5)

    def test_the_most_probable_hyperparameters_are_those_under_gamma_beliefs(self):
        for step in steps_of("gp_map"):
            logarithms, noise = np.array(step.own["kernel"]), step.own["noise"]
            best = oracles.log_gamma_posterior(step, logarithms, noise)
            for place in range(len(logarithms)):
                for shift in (-0.2, 0.2):
                    moved = logarithms.copy()
                    moved[place] += shift
                    if abs(moved[place]) > 4.5:  # Outside the bounds that searches have.
                        continue
                    self.assertLess(oracles.log_gamma_posterior(step, moved, noise), best + 1e-3)

    def test_given_noise_is_not_learnt(self):
        for preset in ("cmbo_wss_wss", "cmbo_global_centre", "cmbo_individual"):
            for step in steps_of(preset):
                self.assertAlmostEqual(step.own["noise"], np.exp(-4), 12)
                self.assertEqual(step.own["mean"], 0)
        noises = {step.own["noise"] for step in steps_of("deltabo")}
        self.assertGreater(len(noises), 5, "DeltaBO's is learnt unless it is given")

    def test_rgpe_weighs_by_how_often_each_model_ranks_best(self):
        ranked = 0
        for step in steps_of("rgpe"):
            if len(step.raw) < 3:
                continue
            expected = oracles.rgpe_weights(step)
            told = np.append(step.told_weights, 1 - step.told_weights.sum())
            # The weights were estimated from 256 draws.
            self.assertLess(np.abs(told - expected).max(), 4 * 0.5 / np.sqrt(256), f"{told} {expected}")
            ranked += 1
        self.assertGreater(ranked, 7)

    def test_scaml_has_the_most_probable_weights_under_gamma_beliefs(self):
        for step in steps_of("scaml_standardized")[2:]:
            weights = np.array(step.own["weights"])
            best = oracles.log_weights_posterior(step, weights)
            for place in range(len(weights)):
                for shift in (-0.1, 0.1):
                    moved = weights.copy()
                    moved[place] = max(0, moved[place] + shift)
                    self.assertLess(oracles.log_weights_posterior(step, moved), best + 1e-4)

    def test_efficient_compares_tasks_and_has_no_mean_of_its_own(self):
        for step in steps_of("efficient"):
            self.assertEqual(step.own["mean"], 0)
            near = oracles.task_covariance(step, 30.0)[0, 1:].max()
            self.assertAlmostEqual(1 - step.facts["nearest_task_distance"] / 30, near, 9)

    def test_hyperbo_learns_from_the_sources_alone_and_keeps_it(self):
        steps = steps_of("hyperbo_standardized")
        for step in steps:
            self.assertEqual(step.own, steps[0].own)
        step = steps[0]
        logarithms, mean, noise = np.array(step.own["kernel"]), step.own["mean"], step.own["noise"]
        best = oracles.hyperbo_loss(step, logarithms, mean, noise)
        self.assertAlmostEqual(step.facts["negative_log_likelihood_per_task"], best, 9)
        # Results are exact and the belief in noise is not, which is why noise is not moved here.
        for change in (-1.5, 1.5):
            for place in range(len(logarithms)):
                moved = logarithms.copy()
                moved[place] += change
                self.assertGreater(oracles.hyperbo_loss(step, moved, mean, noise), best)
            self.assertGreater(oracles.hyperbo_loss(step, logarithms, mean + change, noise), best)

    def test_wang_de_freitas_shortens_until_the_next_deviation_is_large_enough(self):
        for step in steps_of("wang_de_freitas_standardized"):
            _, (deviation,) = oracles.wang_de_freitas(step).predict(step.point)
            self.assertGreater(deviation, 0.1 * (1 - 1e-6))

    def test_rm_gp_ts_draws_from_both(self):
        drawn = [step.facts["drawn_from_sources"] for step in steps_of("rm_gp_ts")]
        self.assertIn(True, drawn)
        self.assertIn(False, drawn)

    def test_scales_follow_the_regret_estimates(self):
        for preset, theory in (("agpucb_bound", False), ("agpucb_theory", True)):
            for step in steps_of(preset):
                belief = oracles.ORACLES[preset](step)
                self.assertAlmostEqual(step.facts["g"], belief.g, 9)
                self.assertAlmostEqual(step.facts["b"], belief.b, 9)
                bound = oracles.regret_bound(step, belief, theory)
                self.assertLess(abs(step.facts["regret_estimate"] - bound), 1e-6 * bound)
                self.assertAlmostEqual(step.facts["regret_reference"], len(step.raw) ** 0.9, 9)
        for preset in ("agpucb_onestep", "agpucb_min", "agpucb_theory_onestep",
                       "agpucb_onestep_grown", "agpucb_min_grown", "agpucb_theory_grown"):
            paid = 0
            for number, step in enumerate(steps_of(preset)):
                belief = oracle_of(preset)(step)
                _, (deviation,) = belief.predict(step.point)
                paid += 2 * belief.multiplier * deviation / belief.base.amplitude
                self.assertLess(abs(step.facts["regret_estimate"] - paid), 1e-5 * paid)
                self.assertAlmostEqual(step.facts["regret_reference"], (number + 1) ** 0.9, 9)
            if preset.endswith("_grown"):
                self.assertGreater(step.facts["h"], 1.5, preset)


if __name__ == "__main__":
    unittest.main()
