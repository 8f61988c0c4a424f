"""The sampler in Optuna's own loop."""

import difflib
import logging
import math
import multiprocessing
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import tempfile
import unittest
import warnings

import numpy
import optuna
from docstrings import try_examples
from servers import PATIENCE, SPAWN, ServerProcess, ServerTest
from terminated import TerminatedTest

import slipstream
from slipstream import choice, integer, log
from slipstream._operations.termination import termination
from slipstream._wire import messages
from slipstream.adapters.optuna import SlipstreamSampler
from slipstream.connections import connect

optuna.logging.set_verbosity(logging.WARNING)
SCRIPT = pathlib.Path(__file__).with_name("plain_optuna_script.py")
IMPORT = "from slipstream.adapters.optuna import SlipstreamSampler\n"


def mirrors(address=None):
    """All studies on the server that are named after one of Optuna's, by id."""
    service, transport = connect(address, None)
    request = messages.new("ListStudiesRequest", page_size=500)
    plan = service._caller.call("ListStudies", request, "list studies", service._options.call)
    return [one.name.split("/")[1] for one in transport.run(plan).studies]


def all_of(study_name):
    """The trials of every mirror of a study: one list for each, oldest mirror first."""
    loaded = [slipstream.load(one) for one in mirrors() if f"optuna-{study_name}-" in one]
    return {study.id: study for study in loaded}


class Sources(ServerTest):
    def test_a_study_is_a_source_without_a_space(self):
        study = optuna.create_study(sampler=optuna.samplers.RandomSampler(3), study_name="earlier")
        study.optimize(conditional, n_trials=30)
        task = slipstream.register_source(study)
        self.assertEqual(dict(task.space), {
            "model": choice("svm", "forest", "None"),
            "C": log(1e-3, 1e3, when={"model": "svm"}),
            "kernel": choice("rbf", "poly", when={"model": "svm"}),
            "degree": integer(2, 5, when={"kernel": "poly"}),
            "trees": integer(10, 500, when={"model": "forest"}),
        })
        self.assertEqual((task.measured_count, task.best_value, task.title),
                         (30, study.best_value, "earlier"))
        self.assertFalse(task.objective.maximize)


def bowl(trial):
    x = trial.suggest_float("x", -5, 5)
    y = trial.suggest_float("y", 1e-3, 1e3, log=True)
    return (x - 2) ** 2 + math.log10(y) ** 2


def conditional(trial):
    """Branches with children of their own, one of which has a child again."""
    model = trial.suggest_categorical("model", ["svm", "forest", None])
    if model == "svm":
        value = (math.log10(trial.suggest_float("C", 1e-3, 1e3, log=True)) - 1) ** 2
        if trial.suggest_categorical("kernel", ["rbf", "poly"]) == "poly":
            value += abs(trial.suggest_int("degree", 2, 5) - 3)
        return value
    if model == "forest":
        return 2 + 10 / trial.suggest_int("trees", 10, 500, step=10)
    return 5.0


def layers(trial):
    count = trial.suggest_int("layers", 1, 4)
    return sum(abs(trial.suggest_int(f"units{i}", 8, 128, log=True) - 32) for i in range(count))


class Sampler(ServerTest):
    def optimize(self, objective, trials, **arguments):
        study = optuna.create_study(study_name=self.study_id, sampler=SlipstreamSampler(seed=1),
                                    **arguments)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            study.optimize(objective, n_trials=trials)
        return study

    def test_it_finds_what_random_search_does_not(self):
        study = self.optimize(bowl, 25)
        random = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=1))
        random.optimize(bowl, n_trials=25)
        self.assertLess(study.best_value, 0.05)
        self.assertLess(study.best_value, random.best_value)

    def test_several_studies_have_one_sampler(self):
        sampler = SlipstreamSampler(seed=1)
        for turn, (low, high) in enumerate(((0, 1), (5, 6))):
            study = optuna.create_study(study_name=f"{self.study_id}-{turn}", sampler=sampler)
            study.optimize(lambda trial: trial.suggest_float("x", low, high), n_trials=4)
            (mirror,) = all_of(study.study_name).values()
            self.assertEqual({one.params["x"]: one.value for one in mirror.trials},
                             {one.params["x"]: one.value for one in study.trials})

    def test_a_sampler_does_not_take_the_opposite_direction_for_the_same(self):
        sampler = SlipstreamSampler(seed=1)
        first, second = (
            optuna.create_study(study_name=self.study_id, direction=direction, sampler=sampler)
            for direction in ("minimize", "maximize"))
        first.optimize(bowl, n_trials=2)
        with self.assertRaisesRegex(slipstream.StudyDiffers, "asked to maximize"):
            second.optimize(bowl, n_trials=2)

    def test_processes_with_different_seeds_share_a_study(self):
        study = self.optimize(bowl, 3)
        study.sampler = SlipstreamSampler(seed=2)
        study.optimize(bowl, n_trials=2)
        (mirror,) = all_of(self.study_id).values()
        self.assertEqual((mirror.description.seed, len(study.trials)), (1, 5))

    def test_its_example_runs(self):
        self.assertGreater(try_examples(self, slipstream.adapters.optuna), 4)

    def test_slipstream_is_told_of_every_trial_once(self):
        study = self.optimize(bowl, 6, direction="minimize")
        study.optimize(bowl, n_trials=2)
        (mirror,) = all_of(self.study_id).values()
        # The sampler is told of the last trial when it has ended, too.
        self.assertEqual(sorted(trial.value for trial in mirror.trials), sorted(
            trial.value for trial in study.trials))
        self.assertEqual(mirror.best.value, study.best_value)

    def test_a_parameter_may_be_called_like_an_attribute_of_slipstreams_trial(self):
        study = self.optimize(lambda trial: trial.suggest_float("number", 0, 1), 3)  # No warning.
        (mirror,) = all_of(self.study_id).values()
        self.assertEqual([one["number"] for one in mirror.trials],
                         [one.params["number"] for one in study.trials])

    def test_an_objective_may_always_give_the_same_value(self):
        study = optuna.create_study(study_name=self.study_id,
                                    sampler=SlipstreamSampler(seed=1, exact=True))
        study.optimize(lambda trial: trial.suggest_int("n", 1, 8), n_trials=8)
        (mirror,) = all_of(self.study_id).values()
        self.assertTrue(mirror.objective.exact)
        self.assertEqual(len({trial.value for trial in study.trials}), 8)

    def test_maximization_and_steps_and_choices_of_any_kind(self):
        choices = [False, True, "word", None, 0.5, (1, 2)]

        def value_of(x, n, chosen):
            return x + n + choices.index(chosen)

        def objective(trial):
            x = trial.suggest_float("x", 0, 1, step=0.1)
            n = trial.suggest_int("n", 1, 9, step=2)
            chosen = trial.suggest_categorical("chosen", choices)
            self.assertIn(n, (1, 3, 5, 7, 9))
            self.assertAlmostEqual(x * 10, round(x * 10))
            return value_of(x, n, chosen)

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Optuna warns of a tuple as a choice.
            study = optuna.create_study(study_name=self.study_id, direction="maximize",
                                        sampler=SlipstreamSampler(seed=1))
            study.optimize(objective, n_trials=25)
        (mirror,) = all_of(self.study_id).values()
        self.assertEqual(len(mirror.trials), 25)
        by_word = {str(one): one for one in choices}
        for trial in mirror.trials:
            told = value_of(trial["x"] / 10, 2 * trial["n"] + 1, by_word[trial["chosen"]])
            self.assertAlmostEqual(trial.value, told)
        self.assertEqual(mirror.best.value, study.best_value)

    def test_conditions_are_inferred(self):
        study = self.optimize(conditional, 40)
        self.assertLess(study.best_value, 1)
        found = [one for one in all_of(self.study_id).values() if len(one.trials) == 40]
        self.assertEqual(len(found), 1)
        conditions = {name: repr(one.condition) for name, one in found[0].space.items()}
        self.assertEqual(conditions, {
            "model": "None", "C": "{'model': 'svm'}", "kernel": "{'model': 'svm'}",
            "degree": "{'kernel': 'poly'}", "trees": "{'model': 'forest'}"})

    def test_a_number_of_layers_decides_over_their_sizes(self):
        study = self.optimize(layers, 30)
        last = max(all_of(self.study_id).values(), key=lambda one: len(one.trials))
        self.assertEqual(len(last.trials), 30)
        self.assertEqual(last.space["units2"].condition.values, (3, 4))
        self.assertLess(study.best_value, 20)

    def left_out(self, objective, trials=12, **arguments):
        """The last mirror of a study that nothing aborts, and the warnings."""
        study = optuna.create_study(study_name=self.study_id,
                                    sampler=SlipstreamSampler(seed=1, **arguments))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            study.optimize(objective, n_trials=trials)
        self.assertEqual([one.state.name for one in study.trials], ["COMPLETE"] * trials)
        last = max(all_of(self.study_id).values(), key=lambda one: len(one.trials))
        self.assertEqual(sorted(one.value for one in last.trials),
                         sorted(one.value for one in study.trials))
        return last, [str(one.message) for one in caught]

    def test_parameters_may_be_fixed_by_a_sampler_around_it(self):
        sampler = SlipstreamSampler(seed=1)
        study = optuna.create_study(study_name=self.study_id, sampler=sampler)
        study.optimize(bowl, n_trials=4)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            study.sampler = optuna.samplers.PartialFixedSampler({"x": 3}, sampler)
        study.optimize(bowl, n_trials=10)
        fixed = study.trials[4:]
        self.assertEqual({trial.params["x"] for trial in fixed}, {3})
        self.assertEqual(len({trial.params["y"] for trial in fixed}), 10)
        self.assertLess(min(trial.value for trial in fixed), 1.05)
        mirror = next(one for one in all_of(self.study_id).values() if set(one.space) == {"y"})
        self.assertEqual([trial.value for trial in mirror.trials],
                         [trial.value for trial in study.trials])
        study.sampler = sampler
        study.optimize(bowl, n_trials=1)
        whole = next(one for one in all_of(self.study_id).values() if len(one.space) == 2)
        self.assertEqual(sorted(trial.value for trial in whole.trials),
                         sorted(trial.value for trial in study.trials))

    def test_a_study_goes_on_once_it_was_pickled(self):
        study = self.optimize(bowl, 4)
        again = pickle.loads(pickle.dumps(study))
        again.optimize(bowl, n_trials=2)
        self.assertEqual(len(again.trials), 6)
        (mirror,) = all_of(self.study_id).values()
        self.assertEqual(sorted(trial.value for trial in mirror.trials),
                         sorted(trial.value for trial in again.trials))

    def test_what_a_real_number_decides_over_is_left_out(self):
        def objective(trial):
            n = trial.suggest_float("n", 0, 1)
            return n if n < 0.5 else trial.suggest_float("u", 0, 1)

        mirror, told = self.left_out(objective)
        self.assertEqual(list(mirror.space), ["n"])
        self.assertEqual(len(told), 1)
        self.assertRegex(told[0], "leaves parameter 'u' to RandomSampler and goes on with the "
                         r"others: it was asked for in \d+ of \d+ trials, and no single parameter")
        # The first trial that asks for it is told, not tried again; the best may be.
        tried = [trial["n"] for trial in mirror.trials if trial["n"] > 0]
        self.assertEqual(len(set(tried)), len(tried))

    def test_what_two_parameters_decide_over_is_left_out(self):
        def objective(trial):
            a, b = (trial.suggest_categorical(name, [False, True]) for name in "ab")
            x = trial.suggest_float("x", 0, 1)
            return trial.suggest_float("u", 0, 1) * x if a and b else x

        mirror, told = self.left_out(objective, 20)
        self.assertEqual(list(mirror.space), ["a", "b", "x"])
        self.assertEqual([one.split("'")[1] for one in told], ["u"])

    def test_what_has_changing_ranges_is_left_out(self):
        def objective(trial):
            moving = trial.suggest_float("moving", 0, 1 + trial.number)
            return moving + trial.suggest_float("x", 0, 1)

        mirror, told = self.left_out(
            objective, independent_sampler=optuna.samplers.TPESampler(seed=1))
        self.assertEqual(list(mirror.space), ["x"])
        self.assertEqual(len(told), 1)
        self.assertRegex(told[0], r"'moving' to TPESampler .*was asked for as real\(0, 1\)")

    def test_what_has_a_moving_grid_is_left_out(self):
        def objective(trial):
            low = trial.number % 3
            return trial.suggest_float("moving", low, low + 1, step=0.25) * trial.suggest_int("n", 1, 9)

        mirror, told = self.left_out(objective)
        self.assertEqual(list(mirror.space), ["n"])
        self.assertRegex(told[0], r"as integer\(0, 4\) steps of 0.25 from 0.0 and as .* from 1.0,")

    def test_what_is_beyond_the_servers_limits_is_left_out(self):
        odd = ["", "a\tb", "n" * 129]

        def objective(trial):
            trial.suggest_int("wide", 0, 2**60)
            return sum(trial.suggest_float(name, 0, 1) for name in [*odd, *map(str, range(201))])

        mirror, told = self.left_out(objective, 3)
        self.assertEqual(list(mirror.space), [str(i) for i in range(200)])
        self.assertEqual([one.split(" to RandomSampler")[0] for one in told], [
            f"SlipstreamSampler leaves parameter {name!r}" for name in ("wide", *odd, "200")])

    def test_a_parameter_may_be_called_like_the_metric(self):
        study = self.optimize(lambda trial: trial.suggest_float("value", 0, 1), 3)
        (mirror,) = all_of(self.study_id).values()
        self.assertEqual((len(mirror.trials), mirror.best.value), (3, study.best_value))
        self.assertEqual(mirror.objective.metric, "value_")

    def test_a_long_name_is_cut_between_characters(self):
        self.study_id += "-" + "\u4e2d" * 100
        study = self.optimize(lambda trial: trial.suggest_float("x", 0, 1), 2)
        title = max((slipstream.load(one).description.title for one in mirrors()), key=len)
        self.assertTrue(study.study_name.startswith(title))
        self.assertIn(len(title.encode()), range(254, 257))

    def test_a_study_of_which_all_is_left_out_goes_on(self):
        study = optuna.create_study(sampler=SlipstreamSampler(seed=1))
        with self.assertWarnsRegex(UserWarning, "'x' to RandomSampler"):
            study.optimize(lambda trial: trial.suggest_float("x", 0, 1 + trial.number), n_trials=6)
        self.assertEqual(len({trial.value for trial in study.trials}), 6)

    def test_two_objectives_are_refused_before_the_objective_runs(self):
        study = optuna.create_study(directions=["minimize", "maximize"],
                                    sampler=SlipstreamSampler())
        with self.assertRaisesRegex(ValueError, "one objective; study '.*' has 2"):
            study.optimize(lambda trial: self.fail("it ran"), n_trials=2, catch=Exception)
        self.assertEqual([trial.state.name for trial in study.trials], ["FAIL"])

    def test_unknown_arguments_are_refused_at_once(self):
        def constraints(trial):
            return (0.0,)

        for name, value in {"sede": 3, "constraints_func": constraints, "space": {}}.items():
            with self.assertRaisesRegex(TypeError, f"unexpected keyword argument '{name}'"):
                SlipstreamSampler(**{name: value})
        with self.assertRaisesRegex(TypeError, "did you mean 'seed'"):
            SlipstreamSampler(sede=3)
        SlipstreamSampler(preset="scaml", recipe={"acquisition": "ei"}, sources=[], title="ours")

    def test_queued_failed_pruned_and_infinite_trials(self):
        def objective(trial):
            x = trial.suggest_float("x", 0, 1)
            if trial.number == 3:
                raise KeyError("broken")
            if trial.number == 4:
                trial.report(x, 1)
                raise optuna.TrialPruned
            return math.inf if trial.number == 5 else x

        study = optuna.create_study(study_name=self.study_id, sampler=SlipstreamSampler(seed=1))
        study.optimize(objective, n_trials=2)
        study.enqueue_trial({"x": 0.25})
        study.optimize(objective, n_trials=5, catch=KeyError)
        states = {}
        for trial in next(iter(all_of(self.study_id).values())).trials:
            states.setdefault(trial.state, []).append(trial.params["x"])
        self.assertIn(0.25, states["succeeded"])
        self.assertEqual({state: len(found) for state, found in states.items()},
                         {"succeeded": 4, "failed": 1, "stopped": 1, "infeasible": 1})

    def test_reports_beyond_the_limit_are_dropped(self):
        def objective(trial):
            for step in range(10_100 if trial.number == 1 else 1):
                trial.report(0.5, step)
            return trial.suggest_float("x", 0, 1)

        study = optuna.create_study(study_name=self.study_id, sampler=SlipstreamSampler(seed=1))
        with self.assertWarnsRegex(UserWarning, "further reports are dropped"):
            study.optimize(objective, n_trials=3)
        (mirror,) = all_of(self.study_id).values()
        self.assertEqual([trial.state for trial in mirror.trials], ["succeeded"] * 3)

    def test_a_value_that_is_not_a_number_is_infeasible(self):
        def objective(trial):
            x = trial.suggest_float("x", 0, 1)
            return x if x > 0.4 else (math.nan, [numpy.float32("nan")])[trial.number % 2]

        study = optuna.create_study(study_name=self.study_id, sampler=SlipstreamSampler(seed=1))
        study.optimize(objective, n_trials=12)
        trial = study.ask()
        x = trial.suggest_float("x", 0, 1)
        with self.assertWarnsRegex(UserWarning, "nan is not acceptable"):
            study.tell(trial, math.nan)
        (mirror,) = all_of(self.study_id).values()
        infeasible = [one for one in mirror.trials if one.state == "infeasible"]
        self.assertEqual(infeasible[-1]["x"], x)
        self.assertEqual({one.reason for one in infeasible}, {"the value is nan"})
        self.assertEqual(len({one["x"] for one in infeasible}), len(infeasible))
        self.assertEqual({one.state for one in mirror.trials}, {"succeeded", "infeasible"})
        self.assertLess(study.best_value, 0.5)

    def test_no_value_at_all_is_a_failure(self):
        study = optuna.create_study(study_name=self.study_id, sampler=SlipstreamSampler(seed=1))
        study.optimize(lambda trial: [trial.suggest_float("x", 0, 1), None][trial.number % 2],
                       n_trials=2)
        (mirror,) = all_of(self.study_id).values()
        self.assertEqual([one.state for one in mirror.trials], ["succeeded", "failed"])

    def test_a_trial_that_is_pruned_before_it_has_asked_for_all_says_nothing_of_the_space(self):
        def objective(trial):
            x = trial.suggest_float("x", 0, 1)
            for step in range(3):
                trial.report(math.nan if step == 1 else x + step, step)
            if trial.number % 3 == 2:
                raise optuna.TrialPruned
            return x + trial.suggest_float("y", 0, 1)

        study = optuna.create_study(study_name=self.study_id, sampler=SlipstreamSampler(seed=1))
        study.optimize(objective, n_trials=12)
        (mirror,) = all_of(self.study_id).values()
        states = [trial.state for trial in mirror.trials]
        self.assertEqual((states.count("stopped"), states.count("succeeded")), (4, 8))
        for trial in mirror.trials[1:]:  # The first was drawn before there was a space.
            self.assertEqual(mirror.reports(trial), {0: trial["x"], 2: trial["x"] + 2})
        stopped = next(trial for trial in mirror.trials if trial.state == "stopped")
        self.assertEqual(stopped.value, stopped["x"] + 2)

    def test_a_trial_that_fails_before_it_has_asked_for_all_is_not_tried_again(self):
        def objective(trial):
            x = trial.suggest_float("x", 0, 1)
            if trial.number == 2:
                raise KeyError("broken")
            return x + trial.suggest_float("y", 0, 1)

        study = optuna.create_study(study_name=self.study_id, sampler=SlipstreamSampler(seed=1))
        study.optimize(objective, n_trials=4, catch=KeyError)
        (mirror,) = all_of(self.study_id).values()
        self.assertEqual([trial.state for trial in mirror.trials],
                         ["succeeded", "succeeded", "failed", "succeeded"])

    def test_a_plain_script_moves_over_by_one_line(self):
        plain = SCRIPT.read_text()
        moved = plain.replace("create_study(", "create_study(sampler=SlipstreamSampler(), ")
        moved = moved.replace("import optuna\n", "import optuna\n" + IMPORT)
        changed = [line for line in difflib.ndiff(plain.splitlines(), moved.splitlines())
                   if line[0] in "+-"]
        self.assertEqual([line[0] for line in changed], ["+", "-", "+"])
        self.assertEqual(changed[0], "+ " + IMPORT.strip())
        for text in (plain, moved):
            best = float(subprocess.run([sys.executable, "-c", text], check=True, text=True,
                                        stdout=subprocess.PIPE, timeout=200, **SPAWN).stdout)
            self.assertGreater(best, 0.5)
        last = max(all_of("plain-script").values(), key=lambda one: len(one.trials))
        self.assertEqual(last.best.value, best)
        self.assertEqual(last.space["momentum"].condition.values, ("sgd",))

    def test_threads_share_it(self):
        study = optuna.create_study(study_name=self.study_id, sampler=SlipstreamSampler(seed=1))
        study.optimize(conditional, n_trials=40, n_jobs=4)
        self.assertEqual([trial.state.name for trial in study.trials], ["COMPLETE"] * 40)
        study.optimize(conditional, n_trials=1)  # Tells the last mirror what came late.
        last = max(all_of(self.study_id).values(), key=lambda one: len(one.trials))
        succeeded = [trial.value for trial in last.trials.succeeded()]
        self.assertEqual(sorted(succeeded), sorted(trial.value for trial in study.trials))

    def test_a_study_goes_on_in_other_processes(self):
        with tempfile.TemporaryDirectory() as folder:
            storage = f"sqlite:///{folder}/optuna.db"
            optuna.create_study(study_name=self.study_id, storage=storage)
            context = multiprocessing.get_context("spawn")
            for _ in range(2):
                processes = [context.Process(target=work, args=(self.study_id, storage))
                             for _ in range(3)]
                for process in processes:
                    process.start()
                for process in processes:
                    process.join(200)
                self.assertEqual([process.exitcode for process in processes], [0] * 3)
            work(self.study_id, storage, 1)
            study = optuna.load_study(study_name=self.study_id, storage=storage)
            self.assertEqual(len(study.trials), 31)
            told = [(trial["x"], trial["y"]) for one in all_of(self.study_id).values()
                    for trial in one.trials.succeeded()]
        tried = [(trial.params["x"], trial.params["y"]) for trial in study.trials]
        self.assertEqual(sorted(told), sorted(tried))


    def test_each_of_several_servers_is_told_of_every_trial(self):
        servers = [ServerProcess() for _ in range(2)]
        for server in servers:
            self.addCleanup(server.close)
        samplers = [SlipstreamSampler(address=server.address, seed=1, labels={"team": "vision"})
                    for server in servers]
        study = optuna.create_study(study_name=self.study_id)
        for turn in range(6):
            study.sampler = samplers[turn % 2]
            study.optimize(bowl, n_trials=2)
        for server, missing in zip(servers, (2, 0)):
            (name,) = mirrors(server.address)
            mirror = slipstream.load(name, address=server.address)
            self.assertEqual(mirror.description.labels["team"], "vision")
            self.assertEqual(sorted(trial.value for trial in mirror.trials),
                             sorted(trial.value for trial in study.trials[:12 - missing]))


def work(name, storage, trials=5):
    optuna.logging.set_verbosity(logging.WARNING)
    study = optuna.load_study(study_name=name, storage=storage, sampler=SlipstreamSampler())
    study.optimize(bowl, n_trials=trials)


class WithoutAServer(unittest.TestCase):
    def test_one_is_started_that_ends_with_the_script(self):
        self.assertNotIn("SLIPSTREAM_ADDRESS", os.environ)
        study = optuna.create_study(sampler=SlipstreamSampler())
        study.optimize(bowl, n_trials=3)
        self.assertEqual(len(study.trials), 3)

    def test_that_of_a_later_process_is_told_of_a_stored_study(self):
        with tempfile.TemporaryDirectory() as folder:
            storage = f"sqlite:///{folder}/optuna.db"
            optuna.create_study(study_name="resumed", storage=storage)
            context = multiprocessing.get_context("spawn")
            for trials, known in ((4, 4), (1, 5), (2, 7)):
                process = context.Process(target=work_alone, args=(storage, trials, known))
                process.start()
                process.join(200)
                self.assertEqual(process.exitcode, 0)


def work_alone(storage, trials, known):
    """Works with a server of its own, which must know of so many trials in the end."""
    os.environ.pop("SLIPSTREAM_ADDRESS", None)
    work("resumed", storage, trials)
    (mirror,) = mirrors()
    assert len(slipstream.load(mirror).trials) == known, slipstream.load(mirror).trials


class Terminated(TerminatedTest):
    PROGRAM = """
        import optuna
        from slipstream.adapters.optuna import SlipstreamSampler

        def objective(trial):
            x = trial.suggest_float("x", 0, 1)
            if trial.number >= 2:
                ENDING
            return x

        study = optuna.create_study(study_name=study_id, sampler=SlipstreamSampler())
        study.optimize(objective, n_trials=2, n_jobs=JOBS)
        study.optimize(objective, n_trials=6, n_jobs=JOBS)
    """

    def program(self, jobs, ending="work()"):
        return self.PROGRAM.replace("JOBS", str(jobs)).replace("ENDING", ending)

    def mirror(self):
        (found,) = all_of(self.study_id)
        return found

    def test_trials_are_given_back(self):
        for jobs in (1, 2):
            self.check_gives_back(self.program(jobs), jobs, study_id=self.mirror)
            self.setUp()

    def test_a_training_that_ctrl_c_ends_has_not_failed(self):
        process = self.start(self.program(1))
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
        self.study = slipstream.load(self.mirror())
        self.assertEqual(self.states(), ["succeeded", "succeeded", "requested"])

    def test_handlers_stand_no_longer_than_the_trials_of_the_main_thread(self):
        study = optuna.create_study(sampler=SlipstreamSampler())
        blocks = len(termination._blocks)
        study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=3)
        self.assertEqual(len(termination._blocks), blocks)


if __name__ == "__main__":
    unittest.main()
