"""What becomes of a trial: outcomes, blocks, leases, and the loop that evaluates many."""

import _thread
import asyncio
import copy
import datetime
import decimal
import fractions
import io
import os
import pickle
import re
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import unittest
import unittest.mock
import warnings

import grpc
import numpy
from servers import PATIENCE, SPAWN, LossyProxy, ServerTest
from waiting import wait_until

import slipstream
import slipstream.aio
from slipstream import boolean, choice, discrete, integer, optimization, real
from slipstream._operations import foreign_names
from slipstream._wire import messages
from slipstream.workers import Workers

IMPATIENT = slipstream.Options(call=slipstream.Deadlines(2, 3), outcome=slipstream.Deadlines(2, 3))
SPACE = {"x": real(0, 1), "kernel": choice("rbf", "poly"),
         "degree": integer(2, 5, when={"kernel": "poly"})}


class TrialTest(ServerTest):
    def open(self, **settings):
        return slipstream.create_or_load(self.study_id, SPACE, minimize="loss", **settings)

    def stands(self, study, number=1):
        record = study.trials[number - 1]
        return record.state, record.value, record.reason


class Values(TrialTest):
    def test_a_trial_is_a_mapping_with_attributes(self):
        study = self.open()
        study.enqueue({"x": 0.25, "kernel": "rbf"})
        study.enqueue({"x": 0.5, "kernel": "poly", "degree": 3})
        plain, whole = study.suggest(), study.suggest()
        self.assertEqual(dict(**plain), {"x": 0.25, "kernel": "rbf"})
        self.assertEqual(plain.params, study.trials[0].params)
        self.assertEqual((whole.degree, whole["degree"], whole.x), (3, 3, 0.5))
        self.assertIsInstance(whole.degree, int)
        self.assertEqual((plain.get("degree"), plain.get("degree", 9), "degree" in plain),
                         (None, 9, False))
        with self.assertRaisesRegex(KeyError, "not active.*when {'kernel': 'poly'}"):
            plain["degree"]
        with self.assertRaisesRegex(AttributeError, "not a parameter of the study, which has x"):
            plain.learning_rate  # noqa: B018
        self.assertEqual(repr(plain), f"<trial {study.id}/1: x=0.25, kernel='rbf'>")

    def test_a_record_says_what_it_has(self):
        study = self.open()
        record = study.record({"x": 0.25, "kernel": "rbf"}, 1)
        self.assertNotIn("degree", record)
        with self.assertRaisesRegex(KeyError, "trial 1 has no 'degree', only x, kernel; .*, see get"):
            record["degree"]

    def test_attributes_of_other_tools_are_told_what_to_use_here(self):
        trial = self.open().suggest()
        for name, words in (
            ("suggest_int", r"trial\['x'\] is .* declared once, .*{'x': slipstream.integer\(1, 8\)}"),
            ("suggest_categorical", r"slipstream.choice\('rbf', 'poly'\)}, \.\.\.\)$"),
            ("should_prune", r"trial.should_stop\(\).*raise slipstream.TrialStopped"),
            ("set_user_attr", r"trial.annotate\(labels=\.\.\.\)"),
        ):
            self.assertFalse(hasattr(trial, name))
            with self.assertRaisesRegex(AttributeError, f"a trial has no '{name}' here: .*{words}"):
                getattr(trial, name)
        with self.assertRaisesRegex(KeyError, "'value' is not a parameter of the study, which has"):
            trial["value"]
        for space, words in (({"value": real(0, 1)}, None),
                             ({"on": boolean(), "value": real(0, 1, when={"on": True})}, "not active")):
            study = slipstream.create_or_load(f"{self.study_id}-{len(space)}", space, minimize="loss")
            study.enqueue({"on": False} if words else {"value": 0.5})
            if words is None:
                self.assertEqual(study.suggest().value, 0.5)
            else:
                with self.assertRaisesRegex(AttributeError, words):
                    study.suggest().value  # noqa: B018

    def test_what_other_tools_have_is_no_attribute_of_ours(self):
        study = self.open()
        self.assertEqual([name for name in foreign_names.OF_STUDIES if hasattr(study, name)], [])
        trial = study.suggest()
        self.assertEqual([name for name in foreign_names.OF_TRIALS if hasattr(trial, name)], [])

    def test_conditional_parameters_are_there_when_they_are_active(self):
        trials = self.open(preset="random", seed=3).suggest(40)
        kernels = {trial.kernel for trial in trials}
        self.assertEqual(kernels, {"rbf", "poly"})
        for trial in trials:
            self.assertEqual("degree" in trial, trial.kernel == "poly")
            self.assertIn(trial.get("degree"), (None, 2, 3, 4, 5))

    def test_rows_and_frames_tell_of_trials(self):
        study = self.open()
        study.record({"x": 0.25, "kernel": "rbf"}, 1.5)
        study.enqueue({"x": 0.5, "kernel": "poly", "degree": 3})
        rows = study.trials.to_dicts()
        self.assertEqual([(row["state"], row["degree"], row["loss"]) for row in rows],
                         [("succeeded", None, 1.5), ("requested", 3, None)])
        frame = study.trials.to_frame()
        self.assertEqual(frame.loc[1, "loss"], 1.5)
        self.assertEqual(list(frame.columns), ["state", "x", "kernel", "degree", "loss", "worker",
                                               "reason", "started", "ended"])
        task = slipstream.register_source(
            frame[["x", "kernel", "degree", "loss"]], like=study, missing="failed")
        self.assertEqual((task.observation_count, task.measured_count), (2, 1))

    def test_records_may_be_members_of_sets(self):
        study = self.open()
        first, second = (study.record({"x": 0.25, "kernel": "rbf"}, 1.5) for _ in range(2))
        self.assertEqual({first, second, study.trial(1)}, {first, second})

    def test_slips_with_trials_are_told_what_to_write(self):
        study = self.open()
        record = study.record({"x": 0.25, "kernel": "rbf"}, 1.5)
        self.assertEqual(copy.deepcopy(record), record)
        with self.assertRaisesRegex(AttributeError, r"the parameter is record\['x'\]"):
            record.x  # noqa: B018
        for missing in ("degree", "valeu"):
            with self.assertRaisesRegex(AttributeError, f"'TrialRecord' object has no .*'{missing}'"):
                getattr(record, missing)
        trial = study.suggest()
        with self.assertRaisesRegex(TypeError, r"trial.complete\(value\), or give its number"):
            study.tell(trial, 1)
        with self.assertRaisesRegex(TypeError, "a parameter called 1, and names are strings"):
            slipstream.create_or_load("digits", {1: real(0, 1)}, minimize="loss")

    def test_some_trials_are_tables_too(self):
        study = self.open()
        study.record({"x": 0.25, "kernel": "rbf"}, 1.5)
        study.record({"x": 0.5, "kernel": "rbf"}, failed="broke")
        study.record({"x": 0.75, "kernel": "rbf"}, 2)
        trials = study.trials
        self.assertEqual(trials.succeeded().to_frame().index.tolist(), [1, 3])
        self.assertEqual(trials[-2:].to_frame().index.tolist(), [2, 3])
        self.assertEqual([row["number"] for row in trials[:1].to_dicts()], [1])
        self.assertEqual(trials[-1].number, 3)
        self.assertEqual(pickle.loads(pickle.dumps(trials))[1:].succeeded(), trials[2:])

    def test_the_columns_of_a_frame_have_types_also_where_cells_are_missing(self):
        space = {"on": boolean(), "x": real(0, 1, when={"on": True}), "n": integer(1, 9),
                 "depth": integer(1, 9, when={"on": True}), "bias": boolean(when={"on": True}),
                 "batch": discrete(16, 32, when={"on": True}), "mode": choice("a", "b"),
                 "huge": discrete(1, 1e30), "part": discrete(0.5, 1, when={"on": True})}
        study = slipstream.create_or_load(self.study_id, space, minimize="loss")
        types = {"on": "bool", "x": "float64", "n": "int64", "huge": "float64",
                 "part": "float64", "loss": "float64", "ended": "datetime64[ns, UTC]"}
        whole = {"depth": "int64", "bias": "bool", "batch": "int64"}
        lacking = {"depth": "Int64", "bias": "boolean", "batch": "Int64"}
        off = {"on": False, "n": 3, "mode": "a", "huge": 1}
        on = {**off, "on": True, "x": 0.5, "depth": 2, "bias": True, "batch": 16, "part": 1}
        frames = [study.trials.to_frame()]
        study.enqueue(off)
        frames.append(study.trials.to_frame())
        study.record(on, 1)
        frames.append(study.trials.to_frame())
        for frame, others in zip(frames, (whole, lacking, lacking)):
            self.assertEqual(frame.index.dtype, "int64")
            for name, kind in {**types, **others}.items():
                self.assertEqual((name, str(frame[name].dtype)), (name, kind))
        self.assertEqual(frames[2][frames[2]["bias"]].index.tolist(), [2])
        for row in (frames[2].loc[1, list(space)].to_dict(), frames[2].loc[2, list(space)].to_dict()):
            study.enqueue(row, unless_there=True)
        self.assertEqual(len(study.trials), 2)

    def test_none_is_an_inactive_parameter(self):
        study = self.open()
        study.record({"x": 0.25, "kernel": "rbf", "degree": None}, 1.5)
        row = {name: study.trials.to_dicts()[0][name] for name in SPACE}
        study.record(row, 2)
        for missing in (float("nan"), numpy.float32("nan"), decimal.Decimal("nan")):
            study.enqueue({**row, "degree": missing})
        self.assertEqual([dict(trial) for trial in study.trials],
                         [{"x": 0.25, "kernel": "rbf"}] * 5)
        with self.assertRaisesRegex(TypeError, "x=None is not a value"):
            study.enqueue({**row, "x": None})
        with self.assertRaisesRegex(slipstream.InvalidArgument,
                                    f"does not fit studies/{study.id}: x=2.0 is not within "
                                    r"real\(0, 1\); it has no 'degree'$"):
            study.enqueue({"x": 2, "kernel": "poly"})

    def test_what_is_queued_again_may_stay_as_it_is(self):
        study = self.open()
        first = study.enqueue({"x": 0.25, "kernel": "rbf"}, unless_there=True)
        study.record({"x": 0.1 + 0.2, "kernel": "poly", "degree": 3}, 0.5)
        for _ in range(2):
            again = study.enqueue({"kernel": "rbf", "x": 0.25, "degree": None}, unless_there=True)
            self.assertEqual(again, first)
        row = {"x": 0.30000000000000004, "kernel": "poly", "degree": 3.0}
        self.assertEqual(study.enqueue(row, unless_there=True).value, 0.5)
        self.assertEqual(study.enqueue(row).number, 3)
        self.assertEqual([study.enqueue(row, request_id="twice").number for _ in range(2)], [4, 4])
        for wrong in (None, [row], "x=0.25"):
            for call in (study.enqueue, lambda params: study.record(params, 1)):
                with self.assertRaisesRegex(TypeError, r"must be a dict .* such as {'x': \.\.\.}"):
                    call(wrong)

    def test_what_is_queued_takes_the_defaults_of_what_it_lacks(self):
        space = {"degree": integer(2, 5, default=3, when={"kernel": "poly"}),
                 "shift": real(0, 1, when={"degree": 4}),
                 "kernel": choice("rbf", "poly", default="rbf"),
                 "bias": boolean(default=False), "batch": discrete(16, 32, default=32),
                 "x": real(0, 1, default=0.5)}
        study = slipstream.create_or_load(self.study_id, space, minimize="loss")
        rest = {"bias": False, "batch": 32, "x": 0.5}
        for given, params in (
            ({}, {"kernel": "rbf", **rest}),
            ({"kernel": "poly", "x": 0.25}, {"degree": 3, "kernel": "poly", **rest, "x": 0.25}),
            ({"kernel": numpy.str_("poly"), "degree": None}, {"degree": 3, "kernel": "poly", **rest}),
        ):
            queued = study.enqueue(given)
            self.assertEqual(queued.params, params)
            self.assertEqual(study.enqueue(given, unless_there=True), queued)
            self.assertEqual(dict(study.suggest()), params)
        with self.assertRaisesRegex(slipstream.InvalidArgument, ": it has no 'shift'$"):
            study.enqueue({"kernel": "poly", "degree": 4})
        with self.assertRaisesRegex(slipstream.InvalidArgument, "it has no 'kernel'; it has no 'bias'"):
            study.record({"x": 0.5}, 1)

    def test_names_that_the_table_has_itself_do_not_hide_parameters(self):
        space = {"state": real(0, 1), "worker": integer(1, 3)}
        study = slipstream.create_or_load(self.study_id, space, minimize="loss")
        study.record({"state": 0.5, "worker": 2}, 1)
        row = study.trials.to_dicts()[0]
        self.assertEqual((row["state"], row["worker"], row["trial_state"]), (0.5, 2, "succeeded"))
        self.assertEqual(study.trials.to_frame()["worker"].tolist(), [2])

    def test_records_tell_where_the_worker_runs(self):
        study = self.open()
        study.enqueue({"x": 0.5, "kernel": "rbf"})
        self.assertEqual((study.trials[0].host, study.trials[0].process_id), ("", None))
        study.suggest().complete(0.5)
        self.assertEqual((study.best.host, study.best.process_id),
                         (socket.gethostname(), os.getpid()))


class Outcomes(TrialTest):
    def test_each_is_recorded(self):
        study = self.open(stopping="median")
        study.suggest().complete(0.5)
        study.suggest().fail("out of memory")
        study.suggest().infeasible("does not fit")
        stopped = study.suggest()
        stopped.report(2, 0.75)
        stopped.report(1, 0.9)
        stopped.stop("hopeless")
        study.suggest().stop("at once", 3)
        self.assertEqual([self.stands(study, number) for number in range(1, 6)],
                         [("succeeded", 0.5, ""), ("failed", None, "out of memory"),
                          ("infeasible", None, "does not fit"), ("stopped", 0.75, "hopeless"),
                          ("stopped", 3, "at once")])
        for trial in (4, study.trial(4)):
            self.assertEqual(study.reports(trial), {1: 0.9, 2: 0.75})

    def test_an_outcome_is_told_by_another_process(self):
        study = self.open()
        asked = study.suggest(3)
        other = slipstream.load(self.study_id)
        told = other.tell(asked[0].number, 0.25)
        self.assertEqual((told.value, told.params), (0.25, asked[0].params))
        self.assertEqual(told, study.trials[0])
        self.assertEqual(other.tell(other.trial(2), failed="no memory").reason, "no memory")
        self.assertEqual(other.tell(3, infeasible="").state, "infeasible")
        stopped = other.tell(study.suggest().number, 0.75, stopped="hopeless")
        self.assertEqual((stopped.value, stopped.reason), (0.75, "hopeless"))
        self.assertEqual([trial.state for trial in study.trials],
                         ["succeeded", "failed", "infeasible", "stopped"])
        with self.assertRaises(slipstream.TrialEnded):
            other.tell(1, 0.5)
        with self.assertRaisesRegex(slipstream.NotFound, "trials/5"):
            other.trial(5)
        for outcome in ({}, {"value": 1, "failed": "both"}, {"failed": "a", "infeasible": "b"}):
            with self.assertRaisesRegex(TypeError, "needs one of value, failed=, infeasible= and"):
                other.tell(1, **outcome)
        with self.assertRaisesRegex(TypeError, "failed=3 must be the reason"):
            other.tell(1, failed=3)

    def test_a_trial_from_elsewhere_may_have_any_outcome(self):
        study = self.open()
        row = {"x": 0.5, "kernel": "rbf"}
        for outcome, stands in (
            ({"value": 0.25}, ("succeeded", 0.25, "")),
            ({"failed": "no memory"}, ("failed", None, "no memory")),
            ({"infeasible": ""}, ("infeasible", None, "")),
            ({"stopped": "hopeless"}, ("stopped", None, "hopeless")),
            ({"stopped": "hopeless", "value": 0.75}, ("stopped", 0.75, "hopeless")),
        ):
            trial = study.record(row, **outcome)
            self.assertEqual(self.stands(study, trial.number), stands)
        for outcome in ({}, {"value": 1, "failed": "both"}, {"failed": "a", "infeasible": "b"}):
            with self.assertRaisesRegex(TypeError, r"record\(\) needs one of value, failed=, infeas"):
                study.record(row, **outcome)
        with self.assertRaisesRegex(TypeError, r"record\(\): stopped=True must be the reason"):
            study.record(row, stopped=True)

    def test_a_suggestion_is_explained_and_what_was_added_is_not(self):
        study = self.open()
        with study.suggest() as trial:
            trial.complete(0.5)
        explanation = study.explain(trial.number)
        self.assertEqual((explanation.trial, explanation.made_by, explanation.made_by_reason),
                         (trial.number, "recipe", ""))
        self.assertEqual(explanation.preset, study.description.preset)
        self.assertGreater(len(explanation.facts), 0)
        self.assertLessEqual(set(explanation.meanings), set(explanation.facts))
        self.assertEqual(study.explain(study.trial(trial.number)), explanation)
        self.assertEqual(study.explain(trial), explanation)
        self.assertEqual(study.reports(trial), {})
        self.assertEqual(study.annotate(trial, note="odd").note, "odd")
        name, fact = next(iter(explanation.facts.items()))
        text = f"{fact:.6g}" if isinstance(fact, float) else fact
        self.assertIn(f"\n  {name}: {text}", str(explanation))
        self.assertEqual(str(explanation).splitlines()[0],
                         f"trial {trial.number}: suggested by the study's algorithm (auto)")
        for _ in range(8):
            with study.suggest() as other:
                other.complete(other["x"])
        self.assertIn("prior none (the study has no source tasks, which empirical needs), calibration",
                      study.explain(9).facts["recipe"])
        of_models = [facts["lengthscales"] for number in range(2, 10)
                     if "lengthscales" in (facts := study.explain(number).facts)]
        self.assertGreater(len(of_models), 0)
        for text in of_models:
            self.assertRegex(text, r"^x=[\d.]+ kernel=[\d.]+")
        added = study.record(dict(trial), 0.25)
        self.assertIsNone(study.explain(added))
        self.assertEqual(study.source_weights(added), {})

    def test_records_show_why_their_trials_have_ended_so(self):
        study = self.open()
        row = {"x": 0.1 + 0.2, "kernel": "rbf"}
        for outcome, text in (
                (dict(failed="no\nmemory"), "failed (no memory)"),
                (dict(failed=""), "failed"),
                (dict(infeasible="too large"), "infeasible (too large)"),
                (dict(value=0.5, stopped="word " * 30), f"stopped with 0.5 ({'word ' * 15}w ...)")):
            record = study.record(row, **outcome)
            self.assertEqual(repr(record), f"<trial {record.number}, {text}: x=0.3, kernel='rbf'>")
        study.enqueue(row)
        self.assertEqual(repr(study.suggest()), f"<trial {study.id}/5: x=0.3, kernel='rbf'>")

    def test_an_explanation_names_the_source_tasks_by_their_titles(self):
        tasks = [slipstream.register_source([{"x": x, "loss": x - shift} for x in (0, 0.4, 1)],
                                            {"x": real(0, 1)}, minimize="loss", title=title)
                 for shift, title in enumerate(("last year", ""))]
        study = slipstream.create_or_load(self.study_id, {"x": real(0, 1)}, minimize="loss",
                                          preset="scaml", sources=tasks)

        def explain():
            explanation = study.explain(study.suggest().number)
            return explanation if len(explanation.sources) == 2 else None

        explanation = wait_until(explain, "the models of the source tasks were fitted")
        self.assertEqual(explanation.titles, {tasks[0].name: "last year"})
        for task, text in zip(tasks, ("last year ({})", "{}")):
            text = text.format(task.name[len("sourceTasks/"):][:12])
            share = f"{explanation.sources[task.name]:.3g}"
            self.assertIn(f"\n  {text}: {share} of the suggestion\n", str(explanation))

    def test_numbers_of_a_study_that_is_gone_are_not_another_ones(self):
        gone = self.open()
        gone.suggest()
        slipstream.delete_study(self.study_id)
        study = self.open()
        study.suggest()
        for say in (lambda: gone.tell(1, 0.5), lambda: gone.trial(1), lambda: gone.reports(1),
                    lambda: gone.source_weights(1), lambda: gone.explain(1)):
            with self.assertRaises(slipstream.NotFound):
                say()
        self.assertEqual(self.stands(study), ("active", None, ""))

    def test_a_value_that_is_no_finite_number_is_refused_with_a_remedy(self):
        study = self.open()
        trial = study.suggest()
        for value in (float("nan"), float("inf")):
            with self.assertRaisesRegex(ValueError, r"trial.infeasible\(reason\)"):
                trial.complete(value)
        other = study.suggest()
        for text in ("high", "0.3", b"0.3", numpy.str_("0.3"), numpy.array("0.3")):
            for call, say in (("complete", trial.complete), ("report", lambda one: trial.report(1, one)),
                              ("tell", lambda one: study.tell(other.number, one)),
                              ("record", lambda one: study.record(trial, one))):
                with self.assertRaisesRegex(TypeError, rf"{call}\(\) takes a number, not the text .*"
                                            r": convert it, as by float\(...\)$"):
                    say(text)
        with self.assertRaisesRegex(TypeError, r"complete\(\) takes a number, not \[0.3\]$"):
            trial.complete([0.3])
        for number in (numpy.float32(0.5), numpy.array(0.5), numpy.array([0.5]), numpy.int64(1),
                       decimal.Decimal("0.5"), fractions.Fraction(1, 2), True):
            study.record(trial, number)
        for call in (trial.complete, lambda value: study.record(trial, value),
                     lambda value: study.enqueue({"x": value, "kernel": "rbf"}),
                     lambda value: study.enqueue({**trial, "kernel": "poly", "degree": value})):
            with self.assertRaisesRegex(ValueError, "too large"):
                call(10**400)
        with self.assertRaisesRegex(ValueError, "degree got a number that is too large"):
            study.enqueue({**trial, "kernel": "poly", "degree": 10**30})
        trial.complete(1)

    def test_the_first_and_the_last_integer_are_values_like_others(self):
        first, last = -(2**63), 2**63 - 1
        space = {"low": integer(first, first + 9, default=first), "high": integer(last - 9, last)}
        study = slipstream.create_or_load(self.study_id, space, minimize="loss")
        params = {"low": first, "high": last}
        self.assertEqual(study.record(params, 1).params, params)
        self.assertEqual(study.enqueue({"high": last - 1}).params, {**params, "high": last - 1})
        for beyond in (last + 1, float(last), first - 1):
            with self.assertRaisesRegex(ValueError, "high got a number that is too large"):
                study.enqueue({"high": beyond})

    def test_a_value_that_a_parameter_does_not_have_is_refused_by_its_name(self):
        space = {"batch": discrete(16, 32)}
        study = slipstream.create_or_load(self.study_id, space, minimize="loss")
        for value in (16.5, float("nan")):
            for call in (study.enqueue, lambda wrong: study.record(wrong, 0.5)):
                with self.assertRaisesRegex(ValueError, rf"batch={value} is not within discrete\(16"):
                    call({"batch": value})
        self.assertEqual(study.trials, [])

    def test_a_copy_of_a_trial_or_a_study_is_itself(self):
        study = self.open()
        trial = study.suggest()
        for one in (study, trial):
            self.assertIs(copy.copy(one), one)
            self.assertIs(copy.deepcopy({"one": one})["one"], one)

    def test_a_step_is_a_whole_number(self):
        study = self.open()
        trial = study.suggest()
        for step, kind in ((1.2, TypeError), (float("nan"), TypeError), ("1", TypeError),
                           (True, TypeError), (-1, ValueError), (1e30, ValueError)):
            with self.assertRaisesRegex(kind, "trial 1: report.. got step"):
                trial.report(step, 0.5)
        for step in (2.0, numpy.int64(3), numpy.float32(4)):
            trial.report(step, 0.5)
        self.assertEqual(study.reports(study.trials[0]), {2: 0.5, 3: 0.5, 4: 0.5})

    def test_reports_beyond_the_limit_are_dropped_with_one_warning(self):
        study = self.open()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            with study.suggest() as trial:
                trial._transport.run(trial._report_all(dict.fromkeys(range(10_000), 0.75)))
                self.assertEqual(caught, [])
                for step in (10_000, 10_001):
                    trial.report(step, 0.5)
                trial.stop()
        (told,) = caught
        self.assertEqual(told.filename, __file__)
        self.assertRegex(str(told.message), "further reports are dropped, .* limit of 10000 reports"
                         " of a trial; report fewer steps, such as every tenth")
        self.assertEqual(self.stands(study), ("stopped", 0.5, ""))
        self.assertEqual(study.trials[0].report_count, 10_000)

    def test_another_outcome_than_the_first_is_refused(self):
        study = self.open(worker="ann")
        trial, other = study.suggest(2)
        trial.complete(0.5)
        for again in (lambda: trial.complete(0.25), lambda: trial.fail("after all")):
            with self.assertRaisesRegex(
                    slipstream.FailedPrecondition, "trials/1 on .*: this process has recorded another "
                    "one already, succeeded with 0.5, which is kept$") as raised:
                again()
            self.assertNotIsInstance(raised.exception, slipstream.TrialEnded)
        study.tell(other.number, failed="operator")
        with self.assertRaisesRegex(
                slipstream.TrialEnded, 'somebody else has recorded another one already, failed: '
                '"operator", which is kept. If two processes run under the worker id \'ann\', they get '
                "the same trials\\.$") as raised:
            other.complete(0.5)
        self.assertEqual(raised.exception.trial, other.name)
        with self.assertRaisesRegex(slipstream.FailedPrecondition, "somebody else.*operator") as raised:
            other.complete(0.5)
        self.assertNotIsInstance(raised.exception, slipstream.TrialEnded)
        stopped = study.suggest()
        study.tell(stopped.number, 0.75, stopped="hopeless")
        with self.assertRaisesRegex(slipstream.TrialEnded, 'stopped with 0.75: "hopeless", which'):
            stopped.complete(0.75)

    def test_values_stay_as_they_were_suggested(self):
        trial = self.open().suggest()
        for name in ("x", "learning_rate", "number"):
            with self.assertRaisesRegex(AttributeError, "cannot be set: .* dict\\(trial\\)"):
                setattr(trial, name, 0.5)
        with self.assertRaises(TypeError):
            trial["x"] = 0.5

    def test_a_duration_is_not_negative(self):
        noon = datetime.datetime(2026, 1, 1, 12)
        hour = datetime.timedelta(hours=1)
        for ended, duration in ((noon + hour, hour), (noon - hour, 0 * hour), (None, None)):
            trial = slipstream.TrialRecord("studies/s/trials/1", 1, "stopped", {}, started=noon,
                                           ended=ended)
            self.assertEqual(trial.duration, duration)

    def test_a_result_whose_trial_is_gone_is_in_the_error(self):
        gone = self.open().suggest()
        slipstream.delete_study(self.study_id)
        study = self.open()
        with self.assertRaises(slipstream.NotFound) as raised:
            gone.complete(0.1 + 0.2)
        self.assertRegex(
            str(raised.exception),
            re.escape(f"study.record({dict(gone)!r}, 0.30000000000000004) keeps the result") + "$")
        study.record(dict(gone), 0.1 + 0.2)
        self.assertEqual(study.best.value, 0.1 + 0.2)
        stopped, failed = study.suggest(2)
        slipstream.delete_study(self.study_id)
        with self.assertRaises(slipstream.NotFound) as raised:
            stopped.stop("it diverges", 2)
        self.assertIn(f"study.record({dict(stopped)!r}, 2.0, stopped='it diverges') keeps the result",
                      str(raised.exception))
        with self.assertRaises(slipstream.NotFound) as raised:
            failed.fail("it broke")
        self.assertNotIn("keeps the result", str(raised.exception))

    def test_a_trial_does_not_speak_for_another_one_of_its_name(self):
        gone = self.open(worker="w").suggest()
        slipstream.delete_study(self.study_id)
        study = self.open(worker="w")
        present = study.suggest()
        self.assertEqual((present.name, present.worker), (gone.name, gone.worker))
        for say in (lambda: gone.report(1, 0.5), lambda: gone.complete(0.5)):
            with self.assertRaisesRegex(slipstream.NotFound, "is not the trial"):
                say()
        gone.release()
        self.assertEqual(self.stands(study), ("active", None, ""))
        present.report(1, 0.25)
        present.complete(0.25)
        self.assertEqual(self.stands(study), ("succeeded", 0.25, ""))

    def test_a_reason_is_a_text(self):
        trial = self.open().suggest()
        for end in (trial.fail, trial.infeasible, trial.stop):
            with self.assertRaisesRegex(TypeError, r"the reason is OSError\('disk'\), .*str\(error\)"):
                end(OSError("disk"))

    def test_a_long_reason_keeps_its_beginning_and_its_end(self):
        study = self.open()
        study.suggest().fail("begin " + "\u00e4" * 2000 + " end")
        reason = self.stands(study)[2]
        self.assertLessEqual(len(reason.encode()), 1024)
        self.assertTrue(reason.startswith("begin ") and reason.endswith(" end"))

    def test_advice_to_stop_is_followed(self):
        study = self.open(stopping="median")
        for _ in range(8):
            with study.suggest() as trial:
                for step in range(1, 6):
                    trial.report(step, 0.1)
                trial.complete(0.1)

        def hopeless(trial):
            for step in range(1, 6):
                trial.report(step, 10 + step)
                if trial.should_stop():
                    return 10 + step
            raise AssertionError("no advice")

        study.optimize(hopeless, trials=1, progress=False)
        with study.suggest() as trial:
            for step in range(1, 6):
                trial.report(step, 10)
                if trial.should_stop():
                    break
        with study.suggest() as trial:
            trial.report(5, 10)
            self.assertTrue(trial.should_stop())
            raise slipstream.TrialStopped
        for number in (9, 10, 11):
            state, value, reason = self.stands(study, number)
            self.assertEqual(state, "stopped")
            self.assertGreaterEqual(value, 10)
            self.assertIn("median", reason)


class Blocks(TrialTest):
    def test_an_exception_fails_the_trial_with_its_text(self):
        study = self.open()
        with self.assertRaises(ZeroDivisionError), study.suggest():
            1 / 0  # noqa: B018
        with self.assertRaises(KeyError), study.suggest():
            raise KeyError
        self.assertEqual(self.stands(study, 1),
                         ("failed", None, "ZeroDivisionError: division by zero"))
        self.assertEqual(self.stands(study, 2), ("failed", None, "KeyError"))

    def test_infeasible_is_an_outcome_and_no_error(self):
        study = self.open()
        with study.suggest():
            raise slipstream.Infeasible("does not fit")
        self.assertEqual(self.stands(study), ("infeasible", None, "does not fit"))

    def test_an_interrupted_block_gives_its_trial_back(self):
        for interruption in (KeyboardInterrupt, SystemExit, GeneratorExit):
            study = self.open()
            with self.assertRaises(interruption), study.suggest():
                raise interruption
            self.assertEqual(self.stands(study)[0], "requested")

    def test_an_outcome_on_the_way_when_ctrl_c_comes_is_sent_again(self):
        study, lost = self.open(), []

        def attempt(step, attempt=study._transport._attempt):
            if step.method == "Observe" and not lost:
                lost.append(step)
                raise KeyboardInterrupt
            return attempt(step)

        with unittest.mock.patch.object(study._transport, "_attempt", attempt):
            with self.assertRaises(KeyboardInterrupt):
                study.optimize(lambda trial: 0.25, trials=1, progress=False)
        self.assertEqual(self.stands(study), ("succeeded", 0.25, ""))

    def test_ctrl_c_just_after_an_outcome_says_nothing_wrong(self):
        study = self.open()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            with self.assertRaises(KeyboardInterrupt), study.suggest() as trial:
                with unittest.mock.patch.object(trial, "_end", side_effect=KeyboardInterrupt):
                    trial.complete(0.5)
        self.assertEqual([str(one.message) for one in caught], [])
        self.assertEqual(self.stands(study), ("succeeded", 0.5, ""))

    def test_a_block_without_an_outcome_gives_its_trial_back_and_warns(self):
        study = self.open()
        with self.assertWarnsRegex(UserWarning, r"trial.complete\(value\)") as warned:
            with study.suggest():
                pass
        self.assertEqual(self.stands(study)[0], "requested")
        self.assertEqual(warned.filename, __file__)

    def test_an_outcome_before_an_exception_stays(self):
        study = self.open()
        with self.assertRaises(ValueError), study.suggest() as trial:
            trial.complete(0.5)
            raise ValueError
        self.assertEqual(self.stands(study), ("succeeded", 0.5, ""))

    def test_an_error_on_its_way_is_not_hidden_by_a_server_that_is_gone(self):
        proxy = LossyProxy(self.server.address)
        self.addCleanup(proxy.close)
        study = self.open(address=proxy.address, options=IMPATIENT)
        proxy.losses["Observe"] = ["call"] * 10000
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            with self.assertRaises(ZeroDivisionError), study.suggest():
                1 / 0  # noqa: B018
        unheard = [one for one in caught if "no answer from" in str(one.message)]
        self.assertEqual([one.filename for one in unheard], [__file__])

    def test_a_result_that_nobody_heard_is_no_failure_of_the_trainer(self):
        proxy = LossyProxy(self.server.address)
        self.addCleanup(proxy.close)
        study = self.open(address=proxy.address, options=IMPATIENT)

        def objective(trial):
            proxy.losses["Observe"] = ["call"] * 10000
            return 0.1 + 0.2

        with self.assertRaisesRegex(
                slipstream.NoAnswer, "once the server answers again, this records the outcome: "
                f"slipstream --address {proxy.address} observe {study.id}/1 "
                "--value 0.30000000000000004$"):
            study.optimize(objective, trials=3, catch=(Exception,), progress=False)
        with self.assertRaises(slipstream.NoAnswer), study.suggest() as trial:
            proxy.losses["Observe"] = ["call"] * 10000
            try:
                trial.complete(1)
            finally:
                proxy.losses["Observe"] = []
        self.assertEqual([one.state for one in study.trials], ["active", "active"])

    def test_a_result_that_the_server_would_not_record_is_none_either(self):
        proxy = LossyProxy(self.server.address)
        self.addCleanup(proxy.close)
        study = self.open(address=proxy.address)
        for number, (code, kind) in enumerate((("INTERNAL", slipstream.ServerError),
                                               ("UNAUTHENTICATED", slipstream.Unauthenticated),
                                               ("INVALID_ARGUMENT", slipstream.InvalidArgument)), 1):
            proxy.code = grpc.StatusCode[code]
            proxy.losses["Observe"] = ["call"]
            with self.assertRaisesRegex(
                    kind, "lost before the server had it; once that is mended, this records the outcome: "
                    f"slipstream --address {proxy.address} observe {study.id}/{number} --value 0.25$"):
                study.optimize(lambda trial: 0.25, trials=1, catch=Exception, progress=False)
            self.assertEqual(study.trial(number).state, "active")
        with self.assertRaises(slipstream.InvalidArgument), study.suggest() as trial:
            study.enqueue({})
        self.assertEqual(study.trial(trial.number).state, "failed")


class Leases(TrialTest):
    def test_a_block_keeps_its_lease(self):
        study = self.open(lease=3)
        other = slipstream.load(self.study_id)
        with study.suggest() as trial:
            first = study.trials[0].lease_ends
            later = wait_until(lambda: (study.trials[0].lease_ends - first).total_seconds() > 6,
                               "the lease was renewed over two of its durations")
            self.assertTrue(later)
            self.assertEqual(other.suggest().number, 2)
            self.assertFalse(trial.lost)
            trial.complete(0.5)
        self.assertEqual(self.stands(study), ("succeeded", 0.5, ""))

    def test_a_block_that_begins_late_renews_its_lease_at_once(self):
        study = self.open(lease=9)
        trial = study.suggest()
        ends = study.trials[0].lease_ends
        # Less than the third of a lease after which a block renews it.
        wait_until(lambda: (ends - datetime.datetime.now(ends.tzinfo)).total_seconds() < 2.8,
                   "little of the lease was left")
        with trial:
            wait_until(lambda: study.trials[0].state != "active" or
                       study.trials[0].lease_ends > ends, "the lease was renewed or ran out")
            self.assertEqual(study.trials[0].state, "active")
            trial.complete(0.5)

    def test_renewals_end_with_the_block(self):
        proxy = LossyProxy(self.server.address)
        self.addCleanup(proxy.close)
        study = self.open(lease=3, address=proxy.address)
        kind = type(messages.new("HeartbeatRequest"))

        def renewed():
            """The numbers of the trials whose leases were renewed, in order."""
            return [int(kind.FromString(call).trials[0].rsplit("/", 1)[1])
                    for call in proxy.calls.get("Heartbeat", [])]

        with study.suggest() as other:
            for end in (lambda trial: trial.complete(1), lambda trial: trial.fail("broke")):
                with study.suggest() as trial:
                    wait_until(lambda: trial.number in renewed(), "a lease was renewed")
                    end(trial)
                    self.assertEqual(len(study._transport.renewals._due), 1)
                    before = len(renewed())
                    wait_until(lambda: renewed()[before:].count(other.number) >= 3,
                               "the other lease was renewed three times")
                    # One renewal may have been on its way.
                    self.assertLessEqual(renewed()[before:].count(trial.number), 1)
            other.complete(1)

    def test_leases_are_renewed_after_the_system_had_no_thread_for_that(self):
        start = threading.Thread.start

        def start_others(thread):
            if thread.name == "slipstream renewals":
                raise RuntimeError("can't start new thread")
            start(thread)

        own = slipstream.Options(call=slipstream.Deadlines(9, 59))  # And so a connection of its own.
        study = self.open(lease=3, options=own)
        with unittest.mock.patch.object(threading.Thread, "start", start_others):
            with self.assertRaisesRegex(RuntimeError, "can't start"), study.suggest():
                self.fail("the block was entered")
        with study.suggest() as trial:
            ends = study.trials[-1].lease_ends
            wait_until(lambda: study.trials[-1].lease_ends != ends, "the lease was renewed or ran out")
            self.assertEqual(study.trials[-1].state, "active")
            trial.complete(0.5)

    def test_a_trial_whose_lease_ran_out_is_lost_and_its_result_is_taken(self):
        proxy = LossyProxy(self.server.address)
        self.addCleanup(proxy.close)
        study = self.open(lease=1, address=proxy.address,
                          options=slipstream.Options(call=slipstream.Deadlines(2, 3)))
        proxy.losses["Heartbeat"] = ["call"] * 100000
        with study.suggest() as trial:
            reader = slipstream.load(self.study_id)
            wait_until(lambda: reader.trials[0].state == "stale", "the lease ran out")
            proxy.losses["Heartbeat"] = []
            wait_until(lambda: trial.lost, "the trial was known to be lost")
            trial.complete(0.5)
        self.assertEqual(reader.trials[0].value, 0.5)

    def test_a_process_that_is_killed_loses_its_trial_to_another(self):
        script = textwrap.dedent("""
            import slipstream, sys
            with slipstream.load(sys.argv[1]).suggest() as trial:
                print(trial.number, flush=True)
                sys.stdin.read()
        """)
        study = self.open(lease=1)
        process = subprocess.Popen([sys.executable, "-c", script, self.study_id],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                   **SPAWN)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stdin.close)
        self.assertEqual(process.stdout.readline(), "1\n")
        process.kill()
        process.wait()
        wait_until(lambda: study.trials[0].state == "stale", "the lease ran out")
        again = study.suggest()
        self.assertEqual((again.number, dict(again)), (2, study.trials[0].params))

    def test_records_tell_which_trials_were_queued_again(self):
        study = self.open(lease=1, requeues=2)
        held = study.suggest()
        wait_until(lambda: study.trials[0].state == "stale", "the lease ran out")
        again = study.suggest()
        self.assertEqual(dict(again), dict(held))
        wait_until(lambda: study.trials[1].state == "stale", "the second lease ran out")
        study.suggest().complete(0.5)
        self.assertEqual([(one.number, one.requeue_of, one.requeued_as) for one in study.trials],
                         [(1, None, 2), (2, 1, 3), (3, 1, None)])


class Loop(TrialTest):
    def test_trials_are_counted_and_the_best_returned(self):
        study = self.open()
        seen = []
        best = study.optimize(lambda trial: seen.append(trial.number) or trial.x, trials=12,
                              workers=3, progress=False)
        self.assertEqual(sorted(seen), list(range(1, 13)))
        self.assertEqual(best.value, min(trial.value for trial in study.trials))
        self.assertEqual(best, study.best)
        self.assertEqual(
            repr(best),
            f"<trial {best.number}, succeeded with {best.value:.6g}: x={best['x']:.6g}, "
            f"kernel={best['kernel']!r}, degree={best['degree']!r}>"
            if "degree" in best else
            f"<trial {best.number}, succeeded with {best.value:.6g}: x={best['x']:.6g}, "
            f"kernel={best['kernel']!r}>")

    def test_workers_hold_different_trials_at_once(self):
        study = self.open()
        together = threading.Barrier(4, timeout=30)

        def objective(trial):
            together.wait()
            return trial.x

        study.optimize(objective, trials=8, workers=4, progress=False)
        self.assertEqual(len(study.trials), 8)
        self.assertEqual(len({trial.worker for trial in study.trials}), 4)

    def test_an_exception_ends_the_loop_unless_it_is_caught(self):
        study = self.open()

        def objective(trial):
            if trial.number == 3:
                raise RuntimeError("broke")
            return trial.x

        with self.assertRaisesRegex(RuntimeError, "broke"):
            study.optimize(objective, trials=10, progress=False)
        self.assertEqual([trial.state for trial in study.trials],
                         ["succeeded", "succeeded", "failed"])
        for value in (None, (0.5, 1), {"loss": 0.5}, "0.5"):
            with self.assertRaisesRegex(TypeError, rf"returned {re.escape(repr(value))}: return the"):
                study.optimize(lambda trial: value, trials=10, workers=2, progress=False)

        async def asynchronous(trial):
            return trial.x

        with self.assertRaisesRegex(TypeError, "to be awaited: open the study by slipstream.aio"):
            study.optimize(lambda trial: asynchronous(trial), trials=1, progress=False)

        def often(trial):
            if trial.number % 2:
                raise OSError("disk")
            if trial.number % 4:
                raise slipstream.Infeasible("no")
            return trial.x

        study.optimize(often, trials=8, catch=(OSError,), progress=False)
        self.assertEqual({trial.state for trial in study.trials},
                         {"succeeded", "failed", "infeasible"})
        self.assertFalse(any(trial.state == "active" for trial in study.trials))

    def test_an_error_is_told_while_other_workers_still_train(self):
        study = self.open()
        told, together = io.StringIO(), threading.Barrier(3)

        def objective(trial):
            together.wait(PATIENCE)
            if trial.number == 2:
                raise RuntimeError("broke")
            wait_until(lambda: "waiting" in told.getvalue(), "the error was told")
            return trial.x

        with unittest.mock.patch.object(sys, "stderr", told), \
                unittest.mock.patch.object(optimization, "_SECONDS_BEFORE_NOTICE", 0):
            with self.assertRaisesRegex(RuntimeError, "broke"):
                study.optimize(objective, workers=3, progress=False)
        self.assertEqual(told.getvalue(), f"{study.id} failed: RuntimeError: broke; waiting for the 2 "
                         "training runs under way; Ctrl-C twice gives their trials back\n")
        self.assertEqual(sorted(one.state for one in study.trials), ["failed", *["succeeded"] * 2])

    def test_nothing_is_told_of_trainings_that_end_soon_after_an_error(self):
        study = self.open()
        all_train = threading.Barrier(8)

        def objective(trial):
            all_train.wait(PATIENCE)
            return 1 / 0

        with unittest.mock.patch.object(sys, "stderr", io.StringIO()) as told:
            with self.assertWarns(UserWarning), self.assertRaises(ZeroDivisionError):
                study.optimize(objective, workers=8, progress=False)
        self.assertNotIn("waiting", told.getvalue())

    def test_an_exception_that_cannot_tell_its_text_fails_its_trial(self):
        class Mute(Exception):
            def __str__(self):
                raise RuntimeError("no text")

        def objective(trial):
            raise Mute

        study = self.open()
        with self.assertRaises(Mute):
            study.optimize(objective, progress=False)
        with self.assertWarnsRegex(UserWarning, "goes on: Mute. Further"):
            study.optimize(objective, trials=1, catch=Mute, progress=False)
        self.assertEqual([(one.state, one.reason) for one in study.trials], [("failed", "Mute")] * 2)

    def test_an_exception_leaves_a_line_with_the_best_that_there_is(self):
        study = self.open()
        study.record({"x": 0.5, "kernel": "rbf"}, 0.25)
        with unittest.mock.patch.object(sys, "stderr", io.StringIO()) as told:
            with self.assertRaises(ZeroDivisionError):
                study.optimize(lambda trial: 1 / 0, trials=5)
        self.assertRegex(told.getvalue(), r"1/5 .* best 0.25 \(trial 1: .*; 1 failed, the last: Zero")

    def test_a_failure_that_is_caught_is_told(self):
        study = self.open()

        def objective(trial):
            raise ZeroDivisionError("division\nby zero")

        with unittest.mock.patch.object(sys, "stderr", io.StringIO()) as told:
            with self.assertWarnsRegex(
                    UserWarning, "goes on: ZeroDivisionError: division by zero") as warned:
                study.optimize(objective, trials=3, catch=ArithmeticError)
        self.assertEqual((len(warned.warnings), warned.filename), (1, __file__))
        self.assertRegex(told.getvalue().splitlines()[-1],
                         "3/3 .* no result yet; 3 failed, the last: ZeroDivisionError: division by")

    def test_a_trial_that_somebody_else_ends_does_not_end_the_loop(self):
        study = self.open()

        def objective(trial):
            if trial.number == 1:
                study.tell(study.trial(1), failed="by hand")
            return trial.x

        with self.assertWarnsRegex(
                UserWarning, 'failed: "by hand".*The optimisation goes on') as warned:
            study.optimize(objective, trials=3, workers=2, progress=False)
        self.assertEqual((len(warned.warnings), warned.filename), (1, __file__))
        self.assertEqual(sorted(trial.state for trial in study.trials),
                         ["failed", "succeeded", "succeeded"])

    def test_a_trial_that_was_given_back_ends_the_loop(self):
        study = self.open()

        def objective(trial):
            slipstream.load(self.study_id, worker=trial.worker).suggest().release()
            return trial.x

        with self.assertRaisesRegex(slipstream.FailedPrecondition, "is REQUESTED") as raised:
            study.optimize(objective, trials=3, progress=False)
        self.assertNotIsInstance(raised.exception, slipstream.TrialEnded)

    def test_each_worker_tells_what_was_not_heard(self):
        proxy = LossyProxy(self.server.address)
        self.addCleanup(proxy.close)
        study = self.open(address=proxy.address, options=IMPATIENT)
        both = threading.Barrier(2)

        def objective(trial):
            both.wait(PATIENCE)
            proxy.losses["Observe"] = ["call"] * 10000
            return float(trial.number)

        with self.assertWarnsRegex(UserWarning, "another worker has failed too: NoAnswer") as told:
            with self.assertRaises(slipstream.NoAnswer) as raised:
                study.optimize(objective, workers=2, progress=False)
        said = {str(raised.exception)[-9:], str(told.warning)[-9:]}
        self.assertEqual(said, {"value 1.0", "value 2.0"})

    def test_what_an_objective_says_of_another_trial_is_its_own_error(self):
        study = self.open()
        study.record({"x": 0.5, "kernel": "rbf"}, 0.25)
        with self.assertRaises(slipstream.TrialEnded) as raised:
            study.optimize(lambda trial: study.tell(1, failed="no"), trials=2, progress=False)
        self.assertEqual(raised.exception.trial, study.trials[0].name)
        self.assertEqual([trial.state for trial in study.trials], ["succeeded", "failed"])
        self.assertEqual(str(pickle.loads(pickle.dumps(raised.exception))), str(raised.exception))

    def test_a_value_that_is_not_finite_makes_its_trial_infeasible(self):
        study = self.open()
        values = {2: float("nan"), 3: float("inf"), 4: numpy.float32("nan")}
        for workers in (1, 2):
            first = len(study.trials)
            with self.assertWarnsRegex(UserWarning, "infeasible.*stays away") as warned:
                study.optimize(lambda trial, first=first: values.get(trial.number - first, trial.x),
                               trials=6, workers=workers, progress=False)
            self.assertEqual(len(warned.warnings), 1)
            self.assertEqual(warned.filename, __file__)
            self.assertEqual([trial.state for trial in study.trials[first:]],
                             ["succeeded", *["infeasible"] * 3, "succeeded", "succeeded"])
            self.assertEqual([trial.reason for trial in study.trials[first + 1:first + 4]],
                             ["the objective is nan", "the objective is inf",
                              "the objective is nan"])

    def test_so_does_one_that_is_reported(self):
        values = {2: float("nan"), 4: numpy.float32("inf")}

        def objective(trial):
            tell = trial.complete if trial.number == 4 else lambda value: trial.report(1, value)
            tell(values.get(trial.number, trial.x))
            return trial.x

        async def objective_async(trial):
            await trial.report(1, values.get(trial.number, trial.x))
            return trial.x

        async def optimize():
            async with await slipstream.aio.load(self.study_id) as study:
                await study.optimize(objective_async, trials=3, progress=False)

        study = self.open()
        with self.assertWarnsRegex(UserWarning, r"report\(\) got nan in .*infeasible") as warned:
            study.optimize(objective, trials=5, catch=Exception, progress=False)
        self.assertEqual((len(warned.warnings), warned.filename), (1, __file__))
        self.assertEqual([(trial.state, trial.reason) for trial in study.trials[1:4]],
                         [("infeasible", "report() got nan"), ("succeeded", ""),
                          ("infeasible", "complete() got inf")])
        values[6] = float("nan")
        with self.assertWarnsRegex(UserWarning, "infeasible"):
            asyncio.run(optimize())
        self.assertEqual([trial.state for trial in study.trials[5:]],
                         ["infeasible", "succeeded", "succeeded"])
        with self.assertRaisesRegex(ValueError, "report.. got nan, and the model") as raised:
            with study.suggest() as trial:
                trial.report(1, float("nan"))
        self.assertEqual(study.trial(trial.number).state, "infeasible")
        self.assertEqual(str(pickle.loads(pickle.dumps(raised.exception))), str(raised.exception))
        with self.assertRaisesRegex(ValueError, "got nan"):
            study.optimize(lambda other: trial.report(1, float("nan")), trials=1, progress=False)
        with self.assertWarnsRegex(UserWarning, "has failed, and the optimisation goes on"):
            study.optimize(lambda other: trial.report(1, float("nan")), trials=1, catch=ValueError,
                           progress=False)
        self.assertEqual([one.state for one in study.trials[-2:]], ["failed"] * 2)

    def test_a_value_after_an_outcome_does_not_matter(self):
        study = self.open()

        def objective(trial):
            trial.complete(trial.x)
            return float("nan")

        with warnings.catch_warnings():
            warnings.simplefilter("error")
            study.optimize(objective, trials=1, progress=False)
        self.assertEqual(self.stands(study)[0], "succeeded")

    def test_a_timeout_starts_no_more_trials(self):
        study = self.open()
        study.optimize(lambda trial: trial.x, timeout=0.2, progress=False)
        count = study.description.succeeded_count
        self.assertGreater(count, 0)
        study.optimize(lambda trial: trial.x, trials=5, timeout=0, progress=False)
        self.assertEqual(study.description.succeeded_count, count)
        study.optimize(lambda trial: trial.x, trials=1, timeout=10**400, progress=False)
        self.assertEqual(study.description.succeeded_count, count + 1)

    @staticmethod
    async def await_trial(trial):
        return trial.x

    def test_impossible_arguments_are_refused(self):
        study = self.open()
        for name, value, kind, words in (
            ("trials", -1, ValueError, "trials=-1 must be at least 0"),
            ("trials", 2.5, TypeError, "trials=2.5 must be a whole number, at least 0"),
            ("trials", float("nan"), TypeError, "trials=nan must be a whole number"),
            ("trials", float("inf"), TypeError, "trials=inf must be a whole number"),
            ("trials", -2.0, ValueError, "trials=-2.0 must be at least 0"),
            ("trials", True, TypeError, "trials=True must be a whole number"),
            ("trials", "3", TypeError, "trials='3' must be a whole number"),
            ("workers", 0, ValueError, "workers=0 must be from 1 to 1000"),
            ("workers", 10**9, ValueError, "workers=1000000000 must be from 1 to 1000"),
            ("workers", 1.5, TypeError, "workers=1.5 must be a whole number, from 1 to 1000"),
            ("timeout", -1, ValueError, "timeout=-1 must be 0 seconds or more"),
            ("timeout", float("nan"), ValueError, "timeout=nan must be"),
            ("objective", 3, TypeError, "the objective is 3, and must be a function of a trial"),
            ("objective", self.await_trial, TypeError, "is asynchronous: .* by slipstream.aio"),
            ("timeout", "1m", TypeError, "timeout='1m' must be a number of seconds"),
            ("catch", "Exception", TypeError, "catch='Exception' must be types of exceptions"),
            ("catch", [KeyboardInterrupt], TypeError, "must be types of exceptions"),
            ("catch", None, TypeError, "catch=None must be types of exceptions"),
        ):
            with self.assertRaisesRegex(kind, words):
                study.optimize(**{"objective": lambda trial: 0, "trials": 1, "progress": False,
                                  name: value})
        for count, kind in ((0, ValueError), (10**30, ValueError), (1.5, TypeError),
                            (True, TypeError)):
            with self.assertRaisesRegex(kind, f"count={count} must be .*from 1 to 1000"):
                study.suggest(count)
        self.assertEqual(len(study.trials), 0)
        study.optimize(lambda trial: 0, trials=numpy.int64(2), workers=numpy.int8(2),
                       progress=False)
        self.assertEqual(len(study.trials), 2)
        study.optimize(lambda trial: 0, trials=1e1, workers=2.0, progress=False)
        self.assertEqual(len(study.trials), 12)
        self.assertEqual(len(study.suggest(2.0)), 2)

    def test_progress_goes_to_standard_error(self):
        study = self.open()
        original, sys.stderr = sys.stderr, io.StringIO()
        try:
            study.optimize(lambda trial: trial.x, trials=30.0)
            text = sys.stderr.getvalue()
        finally:
            sys.stderr = original
        lines = text.splitlines()
        self.assertTrue(2 <= len(lines) <= 12, text)
        self.assertRegex(lines[-1], rf"^{study.id} 30/30 00:\d\d  best \S+ \(trial \d+: x=")


class Interruptions(TrialTest):
    SCRIPT = textwrap.dedent("""
        import slipstream, sys, threading
        everybody, go_on = threading.Barrier(3), threading.Event()

        def objective(trial):
            everybody.wait()
            print("at work\\n", end="", flush=True)
            go_on.wait()
            return trial.x

        threading.Thread(target=lambda: sys.stdin.readline() and go_on.set(), daemon=True).start()
        slipstream.load(sys.argv[1]).optimize(objective, workers=3, progress=False)
    """)

    def start(self):
        """A program whose three workers are at work, and that was interrupted once."""
        process = subprocess.Popen(
            [sys.executable, "-c", self.SCRIPT, self.study_id], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **SPAWN)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        for stream in (process.stdin, process.stdout, process.stderr):
            self.addCleanup(stream.close)
        for _ in range(3):
            self.assertEqual(process.stdout.readline(), "at work\n")
        process.send_signal(signal.SIGINT)
        self.assertRegex(process.stderr.readline(), "interrupted: waiting for the 3 training runs "
                                                    "under way; Ctrl-C again gives their trials")
        return process

    def check_end(self, process):
        told = process.stderr.read()
        self.assertEqual(process.wait(PATIENCE), -signal.SIGINT)
        self.assertEqual(told.count("Traceback"), 1, told)
        self.assertTrue(told.endswith("KeyboardInterrupt\n"), told)

    def test_the_first_waits_for_the_trainings_under_way(self):
        study = self.open()
        process = self.start()
        self.assertEqual([trial.state for trial in study.trials], ["active"] * 3)
        process.stdin.write("\n")
        process.stdin.flush()
        self.check_end(process)
        self.assertEqual([trial.state for trial in study.trials], ["succeeded"] * 3)

    def test_the_second_gives_their_trials_back(self):
        study = self.open()
        process = self.start()
        process.send_signal(signal.SIGINT)
        self.check_end(process)
        self.assertEqual([trial.state for trial in study.trials], ["requested"] * 3)

    def setUp(self):
        super().setUp()
        self.waiting, wait = threading.Event(), Workers.wait_for_error

        def wait_for_error(workers):
            self.waiting.set()
            wait(workers)

        patch = unittest.mock.patch.object(Workers, "wait_for_error", wait_for_error)
        patch.start()
        self.addCleanup(patch.stop)

    def interrupt(self):
        """Interrupts this process' main thread, as Ctrl-C does, once it waits for its workers."""
        self.waiting.wait(PATIENCE)
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    def test_a_suggestion_that_comes_after_it_is_given_back(self):
        study = self.open()
        suggest = study._suggest
        both = threading.Barrier(2, action=self.interrupt)

        def suggest_late(count, make):
            trials = yield from suggest(count, make)
            both.wait()
            # The first words after Ctrl-C come when no more may be started.
            wait_until(lambda: "interrupted" in sys.stderr.getvalue(), "Ctrl-C was heard")
            return trials

        study._suggest = suggest_late
        with unittest.mock.patch.object(sys, "stderr", io.StringIO()) as told:
            with self.assertRaises(KeyboardInterrupt) as raised:
                study.optimize(lambda trial: self.fail("started"), workers=2, progress=False)
        self.assertEqual(told.getvalue(),
                         f"{study.id} interrupted: waiting for suggestions under way\n")
        self.assertIsNone(raised.exception.__cause__)
        self.assertEqual({trial.state for trial in study.trials}, {"requested"})

    def test_an_error_of_a_training_is_its_cause(self):
        study = self.open()

        def objective(trial):
            self.interrupt()
            wait_until(lambda: "interrupted" in sys.stderr.getvalue(), "Ctrl-C was heard")
            raise RuntimeError("broke")

        with unittest.mock.patch.object(sys, "stderr", io.StringIO()):
            with self.assertRaises(KeyboardInterrupt) as raised:
                study.optimize(objective, trials=1, workers=2, progress=False)
        self.assertIsInstance(raised.exception.__cause__, RuntimeError)

    def test_a_signal_that_wakes_nobody_is_heard(self):
        study = self.open()

        def objective(trial):
            self.waiting.wait(PATIENCE)
            # As a signal between the last look for one and the beginning of the wait.
            _thread.interrupt_main()
            wait_until(lambda: "interrupted" in sys.stderr.getvalue(), "Ctrl-C was heard")
            return trial.x

        with unittest.mock.patch.object(sys, "stderr", io.StringIO()):
            with self.assertRaises(KeyboardInterrupt):
                study.optimize(objective, trials=1, workers=2, progress=False)

    def test_another_exception_of_a_signal_gives_them_back_too(self):
        study = self.open()
        held, go_on = threading.Event(), threading.Event()
        both = threading.Barrier(2, action=held.set)
        self.addCleanup(go_on.set)

        def objective(trial):
            both.wait()
            go_on.wait()
            return trial.x

        def end(number, frame):
            raise SystemExit

        before = signal.signal(signal.SIGUSR1, end)
        self.addCleanup(signal.signal, signal.SIGUSR1, before)
        main = threading.main_thread().ident
        threading.Thread(
            target=lambda: held.wait() and signal.pthread_kill(main, signal.SIGUSR1)).start()
        with self.assertRaises(SystemExit):
            study.optimize(objective, workers=2, progress=False)
        self.assertEqual([trial.state for trial in study.trials], ["requested"] * 2)


class Messages(unittest.TestCase):
    def test_enumerations_newer_than_the_package_are_numbers(self):
        self.assertEqual(messages.enum_name("Trial.State", 99), "99")


if __name__ == "__main__":
    unittest.main()
