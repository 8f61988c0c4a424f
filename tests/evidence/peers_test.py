"""Tests the parts of peers that need no packages; EVIDENCE_OBJECTIVE is the path of
evidence_objective."""

import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from harness import environments, results  # noqa: E402
from peers import flat_space, methods, objective, studies  # noqa: E402

PROGRAM = os.environ["EVIDENCE_OBJECTIVE"]


def parameter(**fields):
    return objective.Parameter.of(fields)


class Shares(unittest.TestCase):
    def test_a_share_is_a_place_on_the_scale(self):
        rate = parameter(name="rate", type="double", min=1e-4, max=1, scale="log")
        self.assertAlmostEqual(rate.at(0.5), 1e-2)
        self.assertEqual((rate.at(0), rate.at(1)), (1e-4, 1))
        decay = parameter(name="decay", type="double", min=0.9, max=0.9999, scale="reverse_log")
        self.assertAlmostEqual(decay.at(0), 0.9999)
        self.assertEqual(decay.mirrored(decay.mirrored(0.95)), 0.95)

    def test_a_value_has_the_share_that_leads_to_it(self):
        for scale, low, high in (("log", 1e-4, 1), ("reverse_log", 0.9, 0.9999), ("linear", -5, 5)):
            one = parameter(name="x", type="double", min=low, max=high, scale=scale)
            for share in (0, 0.25, 0.7, 1):
                self.assertAlmostEqual(objective.share_of(one, one.at(share)), share, 9, scale)

    def test_all_integers_have_the_same_share(self):
        depth = parameter(name="depth", type="integer", min=2, max=5, scale="linear")
        self.assertEqual([depth.at((i + 0.5) / 8) for i in range(8)], [2, 2, 3, 3, 4, 4, 5, 5])


class Rows(unittest.TestCase):
    def test_words_have_a_number_for_each_choice_and_inactive_parameters_0(self):
        space = objective.Space([
            {"name": "kernel", "type": "categorical", "values": ["rbf", "poly"]},
            {"name": "C", "type": "double", "min": 0.01, "max": 100, "scale": "log"},
            {"name": "degree", "type": "integer", "min": 2, "max": 10, "scale": "linear",
             "condition": {"parent": "kernel", "values": ["poly"]}}])
        self.assertEqual(objective.row_of(space, {"kernel": "poly", "C": "1", "degree": "4"}),
                         [0, 1, 0.5, 0.25])
        self.assertEqual(objective.row_of(space, {"kernel": "rbf", "C": "100"}), [1, 0, 1, 0])


class Flat(unittest.TestCase):
    def test_columns_are_intervals_or_levels(self):
        space = objective.Space([
            {"name": "gamma", "type": "double", "min": 0.1, "max": 10, "scale": "log",
             "condition": {"parent": "kernel", "values": ["rbf"]}},
            {"name": "kernel", "type": "categorical", "values": ["rbf", "poly"]},
            {"name": "size", "type": "discrete", "values": [1, 10, 1000], "scale": "log"}])
        flat = flat_space.FlatSpace(space)
        names = [column.parameter.name for column in flat.columns]
        self.assertEqual(names, ["kernel", "size", "gamma"])  # Parents first.
        self.assertEqual(flat.columns[0].levels, [0, 1])
        self.assertEqual([round(level, 6) for level in flat.columns[1].levels],
                         [0, round(1 / 3, 6), 1])
        self.assertEqual(flat.configuration([1, 0.4, 0.5]), {"kernel": "poly", "size": 10})
        self.assertEqual(flat.configuration([0, 1, 1.5]),
                         {"kernel": "rbf", "size": 1000, "gamma": 10})
        self.assertEqual(flat.columns[1].at_share(0.99), 1)


class First:
    """A peer that takes the first choice and the middle of every range."""

    def __init__(self, space, seed, settings):
        self.space, self.settings, self.told, self.open = space, settings, [], 0
        self.most_open = 0
        First.last = self

    def ask(self):
        self.open += 1
        self.most_open = max(self.most_open, self.open)
        values = {each.name: each.values[0] if each.values else each.at(0.5)
                  for each in self.space.parameters}
        return self.space.active_part(values)

    def tell(self, configuration, loss):
        self.open -= 1
        self.told.append(loss)


class Made:
    transfers = False

    def make(self, *arguments):
        return First(*arguments)


class FirstCandidate(First):
    """A peer that takes one candidate after another."""

    def ask(self):
        return self.settings.candidates[len(self.told)]


class MadeForTransfer:
    transfers = True

    def make(self, *arguments):
        return FirstCandidate(*arguments)


class Studies(unittest.TestCase):
    def run_first(self, problem, trials=5, workers=1):
        self.addCleanup(methods.METHODS.pop, "first", None)
        methods.METHODS["first"] = Made()
        return studies.run_study(PROGRAM, "/none", "first", problem, 0, trials, workers)

    def test_a_peer_gets_the_programs_values(self):
        trials, best = self.run_first("four_branches")
        self.assertEqual(len(trials), 5)
        self.assertEqual(len(set(First.last.told)), 1)
        self.assertEqual(trials[0].regret, First.last.told[0])  # The best value is 0.
        self.assertEqual(trials[0].branch, "north")
        self.assertIn(best, ("north", "east", "south", "west"))

    def test_all_mixed_problems_accept_such_configurations(self):
        for problem in ("nested_pipeline", "ordinal_steps", "either_way", "svm_cancer"):
            with self.subTest(problem):
                trials, _ = self.run_first(problem, trials=1)
                self.assertGreater(trials[0].regret, 0)

    def test_all_workers_but_one_are_busy(self):
        trials, _ = self.run_first("four_branches", trials=10, workers=4)
        self.assertEqual((len(trials), First.last.most_open), (10, 4))

    def test_a_problem_that_does_not_begin_says_why(self):
        with self.assertRaisesRegex(objective.CannotBegin, "data/svm_grid.csv"):
            self.run_first("svm/A9A")

    def test_a_list_of_candidates_is_for_methods_that_choose_among_them(self):
        with self.assertRaisesRegex(objective.CannotBegin, "first does not choose"):
            self.run_first("tuning_svm2")
        self.addCleanup(methods.METHODS.pop, "transferring", None)
        methods.METHODS["transferring"] = MadeForTransfer()
        trials, _ = studies.run_study(PROGRAM, "/none", "transferring", "tuning_svm2", 0, 3, 1)
        self.assertEqual(len(trials), 3)
        settings = First.last.settings
        self.assertEqual((len(settings.candidates), len(settings.sources[0])), (300, 90))
        configuration, loss = settings.sources[0][0]
        self.assertEqual(set(configuration), {"x1", "x2"})
        self.assertLess(loss, 0, "An accuracy, to be maximised")
        row = studies.row_of("transferring", "tuning_svm2", 0, 1, trials, "")
        self.assertEqual(row["sources"], "yes")

    def test_peers_that_were_told_sources_stand_beside_ours_with_sources_only(self):
        trials, best = self.run_first("four_branches", trials=3)
        rows = [studies.row_of("first", "four_branches", 0, 1, trials, best)]
        rows.append(rows[0] | {"method": "told", "sources": "yes"})
        with tempfile.TemporaryDirectory() as folder:
            studies.write_rows(pathlib.Path(folder) / "both.csv", rows)
            self.assertEqual([row["method"] for row in results.rows_from_nothing(folder=folder)],
                             ["first"])
            self.assertEqual(len(results.rows_from_nothing(folder=folder, sources=True)), 2)

    def test_an_illegal_configuration_is_an_error(self):
        with objective.Objective(PROGRAM, "/none", "four_branches", 0) as task:
            with self.assertRaisesRegex(RuntimeError, "north_x"):
                task.evaluate({"wind": "north"})
        with objective.Objective(PROGRAM, "/none", "tuning_svm2", 0) as task:
            with self.assertRaisesRegex(RuntimeError, "no candidate: x1=0.5"):
                task.evaluate({"x1": 0.5, "x2": 0.123456})

    def test_recorded_rows_are_read_as_they_were_written(self):
        trials, best = self.run_first("four_branches", trials=3)
        row = studies.row_of("first", "four_branches", 0, 1, trials, best)
        with tempfile.TemporaryDirectory() as folder:
            studies.write_rows(pathlib.Path(folder) / "first.csv", [row])
            rows = results.rows_from_nothing(folder=folder)
            self.assertEqual(results.rows_from_nothing(workers=8, folder=folder), [])
        curves = results.Curves()
        results.add_rows_from_nothing(curves, rows)
        regrets = curves.at("first (recorded)", [("four_branches", 0)], 3)
        self.assertAlmostEqual(regrets[0], trials[2].regret, places=3)


class Environments(unittest.TestCase):
    def test_another_lock_file_is_another_environment(self):
        here = pathlib.Path(__file__).resolve().parent
        self.assertNotEqual(environments.folder_for(here / "peers/requirements.txt"),
                            environments.folder_for(here / "tables/requirements.txt"))

    def test_lock_files_pin_every_package(self):
        here = pathlib.Path(__file__).resolve().parent
        for name in ("peers", "tables"):
            for line in (here / name / "requirements.txt").read_text().split():
                self.assertIn("==", line)


if __name__ == "__main__":
    unittest.main()
