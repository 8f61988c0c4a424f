"""Tests `run` and `transfer` on small comparisons; EVIDENCE_CELL is the path of evidence_cell."""

import csv
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from harness import cells  # noqa: E402

COMMAND = pathlib.Path(__file__).resolve().parent / "run"
TRANSFER = COMMAND.with_name("transfer")
BINARY = os.environ["EVIDENCE_CELL"]


class Run(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_command(self, *more, binary=BINARY, code=0):
        command = [COMMAND, "--presets", "quasi_random", "--problems", "branin", "--seeds", "0-2",
                   "--from-nothing", "--checkpoints", "1,3", "--data", self.folder / "none",
                   "--binary", binary, "--out", self.folder / "out"]
        finished = subprocess.run(command + list(more), text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, check=False)
        self.assertEqual(finished.returncode, code, finished.stdout)
        return finished.stdout

    def results(self):
        """All rows without the seconds, which differ from run to run."""
        with open(self.folder / "out/results.csv", newline="") as file:
            return [{key: value for key, value in row.items() if key != "seconds"}
                    for row in csv.DictReader(file)]

    def cell_files(self):
        return sorted((self.folder / "out/cells").rglob("*.csv"))

    def test_an_interrupted_run_continues_with_the_same_result(self):
        self.assertIn("3 to run", self.run_command())
        before = self.results()
        self.assertEqual(len(before), 3 * 8)
        self.assertEqual([row["evaluation"] for row in before[:8]], list("12345678"))
        self.cell_files()[1].unlink()
        self.assertIn("2 of 3 cells are there, 1 to run", self.run_command("--no-plots"))
        self.assertEqual(self.results(), before)

    def test_a_report_has_tables_and_plots(self):
        text = self.run_command()
        for words in ("branin after 1 suggestions, 3 seeds", "branin after 3 suggestions",
                      "8 suggestions from nothing", "Mean rank of 1 methods over all 3 studies",
                      "Seconds for one suggestion", "No recorded peers"):
            self.assertIn(words, text)
        plot = (self.folder / "out/plots/branin.svg").read_text()
        self.assertTrue(plot.startswith("<?xml") and plot.rstrip().endswith("</svg>"))

    def test_a_report_knows_where_every_group_belongs(self):
        groups = {row["group"] for row in cells.listed(BINARY, self.folder, "problems")}
        self.assertLessEqual(groups, set(cells.GROUPS))

    def test_mixed_problems_tell_of_branches_and_count_every_suggestion(self):
        text = self.run_command("--problems", "four_branches,svm_cancer", "--presets", "random",
                                "--no-plots", "--checkpoints", "2,4")
        self.assertIn("4 suggestions from nothing", text)
        self.assertNotIn("N + 5", text)
        self.assertRegex(text, r"all of mixed_development +evaluations +studies +found")
        with open(self.folder / "out/branches.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([(row["problem"], row["after"]) for row in rows],
                         [(name, after) for name in
                          ("four_branches", "svm_cancer", "all of mixed_development")
                          for after in "24"])

    def test_results_of_another_program_are_not_mixed_in_silently(self):
        self.run_command("--no-plots")
        other = cells.copy_program(BINARY, self.folder / "other")
        with open(other, "ab") as file:
            file.write(b"another build")
        kept = self.run_command("--no-plots", "--keep-other-builds", "--seeds", "0-3", binary=other)
        self.assertIn("3 of 4 cells are there, 1 to run", kept)
        self.assertIn("MIXED BUILDS", kept)
        again = self.run_command("--no-plots", binary=other)
        self.assertIn("Not used: 3 cells of build", again)
        self.assertNotIn("MIXED BUILDS", again)
        self.assertEqual(len({row["build"] for row in self.results()}), 1)

    def test_cells_that_were_not_recorded_are_skipped_with_a_message(self):
        text = self.run_command("--problems", "branin,svm/A9A")
        self.assertIn("skipped 3 cells", text)
        self.assertIn("SLIPSTREAM_EVIDENCE_DATA", text)
        self.assertIn("INCOMPLETE: 3 of 6 studies", text)

    def test_the_transfer_table_compares_its_presets_with_the_references(self):
        command = [TRANSFER, "--presets", "stacked", "--problems", "normal_mild_pair,svm/A9A",
                   "--seeds", "0-1", "--checkpoints", "1,4", "--no-plots", "--data",
                   self.folder / "none", "--binary", BINARY, "--out", self.folder / "out"]
        finished = subprocess.run(command, text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, check=True)
        # The path may be of any length.
        lines = [line for line in finished.stdout.splitlines() if str(self.folder) not in line]
        self.assertLessEqual(max(map(len, lines)), 110)
        self.assertIn("4 suggestions from nothing, with source tasks", finished.stdout)
        self.assertIn("worse : better than gp_log_ei by more than 0.01", finished.stdout)
        with open(self.folder / "out/against.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([(row["method"], row["after"]) for row in rows],
                         [(name, after) for after in "14" for name in
                          ("gp_log_ei", "portfolio_gp", "source_portfolio", "random", "stacked")])
        self.assertTrue(all(0 <= float(row["regret"]) <= 1 for row in rows))

    def test_the_transfer_table_compares_at_equal_starts(self):
        command = [TRANSFER, "--presets", "stacked,scaml", "--problems", "normal_mild_pair",
                   "--seeds", "0-1", "--checkpoints", "5,6", "--no-plots", "--data",
                   self.folder / "none", "--binary", BINARY, "--out", self.folder / "out",
                   "--start", "random"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        with open(self.folder / "out/results.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        starts = {}
        for row in rows:
            if "+" in row["preset"] and int(row["evaluation"]) <= 5:
                starts.setdefault((row["preset"], row["seed"]), []).append(row["own_regret"])
        self.assertEqual({preset.split("+")[0] for preset, _ in starts},
                         {"gp_log_ei", "stacked", "scaml"})
        self.assertEqual(len({tuple(start) for start in starts.values()}), 2, "One for each seed")

    def test_a_report_outlives_the_recorded_files(self):
        data = pathlib.Path(os.environ.get("SLIPSTREAM_EVIDENCE_DATA",
                                           COMMAND.parents[3] / "shared"))
        if not (data / "data/svm_grid.csv").exists():
            self.skipTest(f"no recorded runs in {data}")
        tables = ("--problems", "svm/A9A", "--no-plots")
        self.run_command(*tables, "--data", data)
        self.assertIn("svm after 1 suggestions", self.run_command(*tables, "--report-only"))

    def test_contradictory_arguments_are_refused(self):
        self.assertIn("has to be among the presets",
                      self.run_command("--against", "random", code=1))
        command = [COMMAND, "--count-all"]
        finished = subprocess.run(command, text=True, stderr=subprocess.PIPE, check=False)
        self.assertEqual(finished.returncode, 2)
        self.assertIn("--count-all needs --from-nothing", finished.stderr)

    def test_a_presets_recipe_can_be_overridden(self):
        text = self.run_command("--presets", "gp_ucb,gp_ucb+acquisition=ei+smoothness=0",
                                "--seeds", "0", "--no-plots")
        self.assertIn("gp_ucb+acquisition=ei+smoothness=0", text)
        self.assertEqual(len({row["preset"] for row in self.results()}), 2)
        refusal = self.run_command("--presets", "gp_ucb+smoothness=9", "--seeds", "0", code=1)
        self.assertIn("options[smoothness] is 9", refusal)

    def test_an_unknown_preset_is_refused(self):
        self.assertIn("there is no preset magic", self.run_command("--presets", "magic", code=1))


if __name__ == "__main__":
    unittest.main()
