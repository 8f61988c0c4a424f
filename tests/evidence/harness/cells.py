"""A comparison's cells: a preset on a problem with a seed, each with a file for what it found.

A cell's file lies in the folder of the build that made it, so that results of different programs
are never taken for one another.
"""

import csv
import dataclasses
import fnmatch
import hashlib
import pathlib
import shutil
import subprocess

GROUPS_OF_TABLES = ("svm", "deepar")
GROUPS_OF_LEARNERS = ("learners", "learners_development")
RECORDED_GROUPS = GROUPS_OF_TABLES + GROUPS_OF_LEARNERS
GROUPS_WITH_PEERS = ("continuous",) + GROUPS_OF_TABLES  # From five initial points.
GROUPS_FROM_NOTHING = ("mixed", "mixed_development", "stuck_development", "chance", "chance_development",
                       "high", "high_development", "odd", "odd_development", "peaks", "peaks_development",
                       "words", "words_development", "trees", "trees_development")
GROUPS = GROUPS_WITH_PEERS + GROUPS_FROM_NOTHING + GROUPS_OF_LEARNERS + (
    "development", "transfer", "gathered", "workers", "papers", "misleading", "misleading_development",
    "mixed_family", "mixed_family_development")
INITIAL_POINTS = 5
LONGEST_NAME = 200


@dataclasses.dataclass(frozen=True)
class Protocol:
    """The settings of every study of a comparison."""

    suggestions: int = 50
    from_nothing: bool = False
    sources: bool = False
    workers: int = 1
    budget: float = 5.0
    filled: int = 0

    def name(self):
        """Distinguishes settings that must not be mixed; longer studies contain shorter ones."""
        parts = ["nothing" if self.from_nothing else "initial"]
        if self.sources:
            parts.append("sources")
        if self.workers != 1:
            parts.append(f"workers{self.workers}")
        if self.budget != Protocol.budget:
            parts.append(f"budget{self.budget:g}")
        if self.filled:
            parts.append(f"filled{self.filled}")
        return "+".join(parts)

    def arguments(self):
        flags = [flag for flag, wanted in (("--from-nothing", self.from_nothing),
                                           ("--sources", self.sources)) if wanted]
        return ["--suggestions", str(self.suggestions), "--workers", str(self.workers),
                "--budget", f"{self.budget:g}", "--filled", str(self.filled)] + flags

    def evaluations(self):
        """The least number of evaluations of a complete study."""
        return self.filled + self.suggestions + (0 if self.from_nothing else INITIAL_POINTS)


@dataclasses.dataclass(frozen=True)
class Cell:
    preset: str
    problem: str
    seed: int

    def __str__(self):
        return f"{self.preset} {self.problem} {self.seed}"


def folder_name(preset):
    """The preset's, shortened where file systems would refuse it."""
    if len(preset) <= LONGEST_NAME:
        return preset
    return preset[:LONGEST_NAME] + "-" + hashlib.sha256(preset.encode()).hexdigest()[:12]


class CellFiles:
    """The folder of a comparison's results."""

    def __init__(self, folder, build, protocol):
        self.folder = pathlib.Path(folder) / "cells"
        self.build = build
        self.protocol = protocol

    def path(self, cell, build=None):
        name = cell.problem.replace("/", "--")
        return (self.folder / (build or self.build) / self.protocol.name() /
                folder_name(cell.preset) / name / f"{cell.seed}.csv")

    def is_whole(self, path):
        """Whether the file exists and is long enough."""
        try:
            lines = path.read_text().count("\n")
        except FileNotFoundError:
            return False
        return lines > self.protocol.evaluations()

    def build_with(self, cell):
        """The newest other build that has the cell, or None."""
        builds = [folder.name for folder in self.folder.iterdir()] if self.folder.exists() else []
        paths = {build: self.path(cell, build) for build in builds if build != self.build}
        whole = {build: path for build, path in paths.items() if self.is_whole(path)}
        return max(whole, key=lambda build: whole[build].stat().st_mtime, default=None)


def build_of(binary):
    """A name for exactly this program."""
    digest = hashlib.sha256()
    for file in [pathlib.Path(binary), *core_libraries(binary)]:
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


def library_folder(binary):
    """The folder in which the program looks for core, which is most of its code."""
    return pathlib.Path(binary).resolve().parents[2] / "lib"


def core_libraries(binary):
    """Core's shared library in each of its builds."""
    return sorted(library_folder(binary).rglob("libslipstream_core.so"))


def copy_program(binary, folder):
    """Copies the program and core's builds so that they find each other; returns the program's path."""
    source = library_folder(binary)
    for library in core_libraries(binary):
        target = pathlib.Path(folder) / "lib" / library.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(library, target)
    program = pathlib.Path(folder) / "bin/tests" / pathlib.Path(binary).name
    program.parent.mkdir(parents=True)
    return shutil.copy(binary, program)


def listed(binary, data, what):
    """The program's own list of its problems or presets."""
    output = subprocess.run([binary, f"--list-{what}", "--data", data], check=True, text=True,
                            stdout=subprocess.PIPE).stdout
    return list(csv.DictReader(output.splitlines()))


def is_of_table(problem):
    """Whether the problem is a recorded table or one of its tasks."""
    return problem.split("/")[0] in GROUPS_OF_TABLES


def chosen_problems(wanted, listing):
    """Names for what a person wrote: names, groups, patterns, or "all" that have recorded peers."""
    names = []
    for word in wanted.split(","):
        groups = GROUPS_WITH_PEERS if word == "all" else (word,)
        found = [row["problem"] for row in listing
                 if row["group"] in groups or fnmatch.fnmatchcase(row["problem"], word)]
        if not found and not is_of_table(word):
            raise ValueError(f"there is no problem {word}; there are "
                             + ", ".join(sorted({row["group"] for row in listing}))
                             + " and " + ", ".join(row["problem"] for row in listing
                                                   if "/" not in row["problem"]))
        names += [name for name in found or [word] if name not in names]
    return names


def chosen_presets(wanted, listing):
    """Names for what a person wrote: names, some of them with parts of their recipes replaced as
    in gp_ei+smoothness=3, "transfer" for those with a prior, or "all", each with such parts too."""
    known = [row["preset"] for row in listing]
    words = {"all": known,
             "transfer": [row["preset"] for row in listing if row["prior"] != "none"]}
    names = []
    for word in wanted.split(","):
        first, plus, parts = word.partition("+")
        names += [name + plus + parts for name in words.get(first, [first])]
    for name in names:
        if name.removesuffix("~luck").removesuffix("~queued").split("+")[0] not in known:
            raise ValueError(f"there is no preset {name}; there are {', '.join(known)}")
    return list(dict.fromkeys(names))


def chosen_seeds(wanted):
    """[0, 1, 2, 7] for "0-2,7"."""
    seeds = []
    for part in wanted.split(","):
        first, _, last = part.partition("-")
        seeds += range(int(first), int(last or first) + 1)
    return list(dict.fromkeys(seeds))
