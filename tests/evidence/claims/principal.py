"""The plots that the repository keeps: which, where, and what numbers they show.

A plot's file holds a digest of the numbers that it was drawn from, so that a test can tell whether
it is older than the kept numbers without drawing it again.
"""

import hashlib
import pathlib
import re

from claims.kept import OURS, REGRET, text_of

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "plots"
MARK = "Drawn from the numbers "
AVERAGE = "average regret"
MODEL_ERROR = "model_error"
TITLES = {REGRET: "Regret", AVERAGE: "Average regret", MODEL_ERROR: "Model error"}


def file_name(*words):
    return re.sub(r"[^a-z0-9]+", "-", " ".join(words).lower()).strip("-") + ".svg"


def told(paper, experiment, quantity):
    """(methods, title) of a quantity beside the regrets."""
    return next((methods, title) for name, what, methods, title in paper.figures
                if (name, what) == (experiment, quantity))


def caption(paper, experiment, quantity):
    what = TITLES.get(quantity) or told(paper, experiment, quantity)[1]
    return f"{what}: {paper.experiment(experiment).title}"


def digest(paper, results, experiment, quantity):
    """A name for exactly the numbers that the plot shows."""
    methods = (results.methods(experiment) if quantity in TITLES
               else told(paper, experiment, quantity)[0])
    quantity = REGRET if quantity == AVERAGE else quantity
    lines = [f"{method},{problem},{seed},{text_of(study[quantity])}"
             for method in methods
             for (problem, seed), study in results.studies(experiment, method, OURS).items()
             if quantity in study]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def drawn_digest(path):
    """That of the numbers that a file was drawn from, or None."""
    found = re.search(MARK + r"([0-9a-f]+)", path.read_text()) if path.exists() else None
    return found[1] if found else None


def lines(paper, results):
    """The plots' links in the report."""
    return [f"![{caption(paper, *plot)}](plots/{file_name(paper.name, *plot)})"
            for plot in paper.principal if plot[0] in results.experiments()]
