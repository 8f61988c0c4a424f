"""What a paper's experiment and a paper's claim are made of."""

import dataclasses

from harness.cells import INITIAL_POINTS, Protocol

BUDGET = 120  # Maximum seconds for a suggestion: more than any takes.


@dataclasses.dataclass(frozen=True)
class Experiment:
    """Studies of some methods on one problem, or on several that stand for one population."""

    name: str
    title: str
    problems: tuple        # One, whose seeds are the draws, or several, which are the draws.
    methods: dict          # {the paper's name: a preset, perhaps with parts of its recipe replaced}.
    suggestions: int
    seeds: int             # As many as from `first_seed` on.
    quick_seeds: int
    first_seed: int = 0    # Above those that were looked at before a claim was made.
    sources: bool = False
    from_nothing: bool = True
    quick_problems: tuple = ()  # Empty: all.
    facts: tuple = ()      # What suggestions tell that is kept beside regrets.
    unit: str = "own"      # Or mean or worst: the regret of that value divides all.
    checkpoints: tuple = ()
    model_error: bool = False
    solved: float = 0      # Below this regret a study counts as solved; 0: that is not told.
    repeated_in_full: tuple = ()  # Methods whose programs in NumPy have all draws, not the first.
    choices: str = ""      # What the paper leaves open, and what it is here.

    def protocol(self):
        return Protocol(suggestions=self.suggestions, from_nothing=self.from_nothing,
                        sources=self.sources, budget=BUDGET)

    def initial(self):
        """Evaluations that no suggestion asked for."""
        return 0 if self.from_nothing else INITIAL_POINTS

    def drawn(self, quick):
        """(problems, seeds) of a run."""
        problems = self.quick_problems if quick and self.quick_problems else self.problems
        count = self.quick_seeds if quick else self.seeds
        return problems, range(self.first_seed, self.first_seed + count)


@dataclasses.dataclass(frozen=True)
class Contrast:
    """One number for each independent draw, of which the claim says that its mean is less than
    `bound`."""

    label: str
    samples: tuple
    bound: float = 0.0
    detail: str = ""
    flipped: bool = False  # Whether the claim says "more than" of the opposite numbers.
    compares: bool = False  # Whether numbers are differences of methods, which may tie.


@dataclasses.dataclass(frozen=True)
class Claim:
    """A sentence of a paper. `contrasts(results, program)` are the numbers that decide about it; all
    of them have to be below their bounds."""

    text: str
    section: str
    contrasts: object
    how: str  # What is compared, in words.


@dataclasses.dataclass(frozen=True)
class Paper:
    name: str
    title: str
    experiments: tuple
    claims: tuple
    figures: tuple = ()  # (file, experiment, quantity, title) of plots beside the regrets'.
    principal: tuple = ()  # (experiment, quantity) of the plots that the repository keeps.
    notes: str = ""

    def experiment(self, name):
        return next(each for each in self.experiments if each.name == name)
