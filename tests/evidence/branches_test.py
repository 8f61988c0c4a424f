"""Checks what is said of branches against values counted by hand."""

import unittest

from harness import branches, comparison, results, tables


def path(text, regrets, best="b"):
    return branches.Path(list(text), regrets, frozenset(best))


class OnePath(unittest.TestCase):
    def test_three_quarters_on_one_branch_are_locked_in(self):
        study = path("aaabbbbb", [1] * 8)
        self.assertTrue(study.is_locked(4))
        self.assertTrue(study.is_astray(4))
        self.assertFalse(study.is_locked(6))
        self.assertFalse(study.is_locked(8))

    def test_a_study_on_the_best_branch_is_not_astray(self):
        study = path("bbbbb", [1] * 5)
        self.assertTrue(study.is_locked(5))
        self.assertFalse(study.is_astray(5))

    def test_found_is_where_the_best_point_so_far_is(self):
        study = path("abab", [5, 3, 3, 3])
        self.assertEqual([study.has_found(count) for count in (1, 2, 4)], [False, True, True])
        back = path("ba", [3, 2])
        self.assertEqual([back.has_found(count) for count in (1, 2)], [True, False])

    def test_several_branches_can_be_best(self):
        self.assertTrue(path("c", [1], best="bc").has_found(1))


def own_row(preset, seed, branch, regret):
    return {"preset": preset, "problem": "fork", "seed": str(seed), "branch": branch,
            "best_branches": "b", "regret": str(regret)}


class Tables(unittest.TestCase):
    def setUp(self):
        self.rows = [own_row("ours", seed, branch, regret)
                     for seed, of_seed in enumerate(["aaaa", "abbb"])
                     for branch, regret in zip(of_seed, (4, 3, 2, 1))]
        self.recorded = [{"method": "theirs", "problem": "fork", "seed": str(seed), "workers": "1",
                          "seconds": "1", "best_branches": "b"}
                         | {f"r{i}": str(5 - i) for i in range(1, 5)}
                         | {f"b{i}": "b" for i in range(1, 5)} for seed in (0, 1)]
        own = results.own_curves(self.rows, ["ours"])
        peers = results.Curves()
        results.add_rows_from_nothing(peers, self.recorded)
        self.compared = comparison.Comparison(own, peers, {"fork": "mixed"}, [2, 4], before=0)
        paths = branches.own_paths(self.rows) | branches.recorded_paths(self.recorded)
        self.found = branches.rows_of(self.compared, paths)

    def test_shares_are_of_the_studies_of_a_problem(self):
        shares = {(row["method"], row["after"]): (row["found"], row["locked"], row["astray"])
                  for row in self.found}
        self.assertEqual(shares, {
            ("ours", 2): (0.5, 0.5, 0.5), ("ours", 4): (0.5, 1, 0.5),
            ("theirs (recorded)", 2): (1, 1, 0), ("theirs (recorded)", 4): (1, 1, 0)})

    def test_peers_from_nothing_are_compared_after_as_many_trials(self):
        ranks = self.compared.mean_ranks(["ours", "theirs (recorded)"], self.compared.units, 4)
        self.assertEqual(ranks, {"ours": 1.5, "theirs (recorded)": 1.5})

    def test_the_text_has_percent_after_the_last_checkpoint(self):
        text = "\n".join(branches.lines_of(self.found, tables.align))
        self.assertIn("fork", text)
        self.assertRegex(text, r"ours +4 +2 +50 +\[9, 91\] +100 +50")
        self.assertNotRegex(text, r"ours +2 +2")

    def test_problems_without_branches_have_no_table(self):
        self.assertEqual(branches.own_paths([{"preset": "ours", "problem": "branin"}]), {})
        self.assertEqual(branches.lines_of([], tables.align), [])


if __name__ == "__main__":
    unittest.main()
