"""cm-BO: clustering-based meta Bayesian optimisation with statistical distances."""

from claims import judgement as judged
from claims.experiment import Claim, Experiment, Paper
from claims.kept import OURS
from claims.svm_tasks import QUICK_TASKS, TASKS

TRIALS = 50
FIRST = 5  # Initial points.
BEST, BARY = "WssClus_WssCMP", "WssClus_WssCMP_Bary"
WITH_JEFFREYS = ("JefClus_JefCMP", "JefClus_WssCMP", "WssClus_JefCMP")
VARIANTS = (BEST,) + WITH_JEFFREYS
WITH_BARY = "GP-UCB, barycentres"
UNCLUSTERED = ("GlobalCen", "IndiWeight-Jef")
PRESETS = {BEST: "cmbo_wss_wss", BARY: "cmbo_wss_wss_bary", "JefClus_JefCMP": "cmbo_jef_jef",
           "JefClus_WssCMP": "cmbo_jef_wss", "WssClus_JefCMP": "cmbo_wss_jef",
           "GlobalCen": "cmbo_global_centre", "IndiWeight-Jef": "cmbo_individual",
           "RGPE": "rgpe", "HyperBO": "hyperbo", "GP": "gp_ucb"}
ACQUISITIONS = {"GP-UCB": "+acquisition=ucb+ucb_multiplier=3", "EI": "+acquisition=ei",
                "PI": "+acquisition=max_value_pi"}
ALONE = {"RM-GP-UCB": "rm_gp_ucb", "RM-GP-TS": "rm_gp_ts", "Random": "random"}


def methods(acquisition, barycentres=False):
    made = {name: preset + ACQUISITIONS[acquisition] for name, preset in PRESETS.items()
            if name != BARY or barycentres}
    return made | (ALONE if acquisition == "GP-UCB" else {"Random": "random"})


SECOND = (*VARIANTS, "RGPE", "GP", "Random")  # The methods that second choices are tried with.


def of_four_clusters():
    return {name: preset + ("+clusters=4" if name in VARIANTS else "")
            for name, preset in methods("GP-UCB").items() if name in SECOND + ("RM-GP-UCB",)}


def by_draws():
    return {name: preset.replace("max_value_pi", "max_value_pi_draws")
            for name, preset in methods("PI").items() if name in SECOND}


def experiment(name, acquisition, problems, choices="", barycentres=False, of=None, in_full=()):
    return Experiment(
        name=name, title=f"Support vector machines, {name}", problems=problems,
        quick_problems=QUICK_TASKS, methods=of or methods(acquisition, barycentres), solved=0.005,
        suggestions=TRIALS, seeds=1, quick_seeds=1, sources=True, from_nothing=False,
        facts=("seconds",), checkpoints=(FIRST + 5, FIRST + 10, FIRST + 25, FIRST + TRIALS),
        choices=choices, repeated_in_full=in_full)


EXPERIMENTS = (
    experiment("GP-UCB", "GP-UCB", TASKS,
               "288 configurations of each of 50 data sets, one left out at a time, instead of "
               "HPO-B; 5 random points for all, 50 random results of each of the 49 sources, 50 "
               "suggestions, all recorded, so that results have no noise. The number of clusters "
               "is from 2 to 6, by the paper's two criteria. Regret is a share of best - worst; "
               "intervals are over data sets. In NumPy WssClus_WssCMP and HyperBO have all data sets "
               "and the rest every fifth, of which these two solve all.", in_full=(BEST, "HyperBO")),
    experiment("EI", "EI", TASKS),
    experiment("PI", "PI", TASKS, "Max-value PI is that of a margin beyond the best result."),
    experiment("PI of the maximum", "PI", QUICK_TASKS,
               "The second reading of max-value PI, after Wang and Jegelka: the probability to exceed "
               "the maximum that draws of the function have.", of=by_draws()),
    experiment("GP-UCB, four clusters", "GP-UCB", QUICK_TASKS,
               "The second choice of the number of clusters: always four, by no criterion. W2 in the "
               "weights has no second reading among the recipe's options.", of=of_four_clusters()),
    experiment(WITH_BARY, "GP-UCB", QUICK_TASKS,
               "On every fifth data set, as barycentres take ten times as long as the rest.",
               barycentres=True))


def after(trials):
    return judged.simple(FIRST + trials)


def unsolved(trials):
    return judged.is_above(0.005, FIRST + trials)


def gain(study):
    """How much simple regret falls from the 20th suggestion to the last, negative."""
    return judged.simple(FIRST + TRIALS)(study) - judged.simple(FIRST + 20)(study)


def per_suggestion(study):
    return float(study["seconds"][0]) / TRIALS


def names_of_others():
    """The methods that are no variant of cm-BO."""
    return tuple(name for name in methods("GP-UCB") if name not in VARIANTS + UNCLUSTERED)


def rank_contrasts(results, program=OURS):
    """The mean rank of WssClus_WssCMP less that of each method that is no variant, after 50
    suggestions, among all methods that the program has."""
    names = [name for name in methods("GP-UCB") if results.studies("GP-UCB", name, program)]
    ranks = judged.ranks(results, "GP-UCB", names, after(TRIALS), program)
    return [judged.Contrast(f"rank of {BEST} - rank of {other}",
                            tuple(a - b for a, b in zip(ranks.get(BEST, ()), ranks.get(other, ()))),
                            compares=True)
            for other in names_of_others()]


SHARE = "normalised simple regret"
CLAIMS = (
    Claim("cm-BO's four variants with geometric centres are ahead of RGPE after 10 suggestions (GP-UCB)",
          "4.2",
          judged.each_less("GP-UCB", VARIANTS, ("RGPE",), after(10)), SHARE),
    Claim("cm-BO's four variants with geometric centres are ahead of RGPE after 25 suggestions (GP-UCB)",
          "4.2",
          judged.each_less("GP-UCB", VARIANTS, ("RGPE",), after(25)), SHARE),
    Claim("cm-BO's four variants with geometric centres are ahead of RM-GP-UCB after 10 suggestions",
          "4.2",
          judged.each_less("GP-UCB", VARIANTS, ("RM-GP-UCB",), after(10)), SHARE),
    Claim("cm-BO's four variants with geometric centres are ahead of RM-GP-UCB after 25 suggestions",
          "4.2",
          judged.each_less("GP-UCB", VARIANTS, ("RM-GP-UCB",), after(25)), SHARE),
    Claim("cm-BO's four variants with geometric centres are ahead of RM-GP-TS after 10 suggestions",
          "baseline of ours",
          judged.each_less("GP-UCB", VARIANTS, ("RM-GP-TS",), after(10)), SHARE),
    Claim("cm-BO's four variants with geometric centres are ahead of RM-GP-TS after 25 suggestions",
          "baseline of ours",
          judged.each_less("GP-UCB", VARIANTS, ("RM-GP-TS",), after(25)), SHARE),
    Claim("cm-BO's four variants with geometric centres outperform Random and GP after 25, each acquisition",
          "4.2, figure 1",
          judged.together(*[judged.each_less(name, VARIANTS, ("Random", "GP"), after(25))
                            for name in ACQUISITIONS]), SHARE),
    Claim("WssClus_WssCMP outperforms RGPE after 25, with EI and PI", "4.2, figure 1",
          judged.together(*[judged.less(name, BEST, ("RGPE",), after(25))
                            for name in ("EI", "PI")]), SHARE),
    Claim("WssClus_WssCMP outperforms RGPE after 25, with PI of the estimated maximum",
          "4.2, figure 1", judged.less("PI of the maximum", BEST, ("RGPE",), after(25)), SHARE),
    *(Claim(f"Of four clusters, cm-BO's four variants are ahead of RGPE and RM-GP-UCB after {trials}",
            "4.2", judged.each_less("GP-UCB, four clusters", VARIANTS, ("RGPE", "RM-GP-UCB"),
                                    after(trials)), SHARE) for trials in (10, 25)),
    Claim("RM-GP-UCB is the best of the other methods (GP-UCB)", "4.2",
          judged.less("GP-UCB", "RM-GP-UCB", ("RGPE", "HyperBO", "GP", "Random"), after(25)),
          SHARE + " after 25"),
    Claim("HyperBO converges fast initially (GP-UCB)", "4.2",
          judged.less("GP-UCB", "HyperBO", ("GP", "RGPE", "Random"), after(5)),
          SHARE + " after 5"),
    Claim("HyperBO plateaus from the 20th suggestion on", "4.2",
          judged.less("GP-UCB", BEST, ("HyperBO",), gain),
          "change of the regret from suggestion 20 to 50, larger for WssClus_WssCMP"),
    Claim("HyperBO solves fewer studies at 0.005 than cm-BO", "4.2, figure 2",
          judged.less("GP-UCB", BEST, ("HyperBO",), unsolved(TRIALS)),
          "share of studies with a regret above 0.005 after 50"),
    Claim("The two Wasserstein variants converge best of the variants", "4.2",
          judged.together(judged.less("GP-UCB", BEST, WITH_JEFFREYS, after(25)),
                          judged.less(WITH_BARY, BARY, WITH_JEFFREYS, after(25))),
          SHARE + " after 25"),
    Claim("With barycentres cm-BO is ahead of RGPE and RM-GP-UCB after 10", "4.2",
          judged.less(WITH_BARY, BARY, ("RGPE", "RM-GP-UCB"), after(10)), SHARE),
    Claim("With barycentres cm-BO is ahead of RGPE and RM-GP-UCB after 25", "4.2",
          judged.less(WITH_BARY, BARY, ("RGPE", "RM-GP-UCB"), after(25)), SHARE),
    Claim("WssClus_WssCMP solves more studies at 0.005 than all methods but cm-BO's own", "4.2, figure 2",
          judged.less("GP-UCB", BEST, names_of_others(), unsolved(TRIALS)),
          "share of studies with a regret above 0.005 after 50"),
    Claim("WssClus_WssCMP has the best average rank, cm-BO's own variants aside",
          "4.2, figure 2", rank_contrasts,
          "rank among all methods after 50, ties share theirs"),
    Claim("Without clusters (GlobalCen, IndiWeight-Jef) cm-BO is less effective", "4.2",
          judged.less("GP-UCB", BEST, UNCLUSTERED, after(25)), SHARE + " after 25"),
    Claim("Distances by Jeffreys are faster than by Wasserstein", "4.2",
          judged.less("GP-UCB", "JefClus_JefCMP", (BEST,), per_suggestion),
          "seconds for a suggestion, with clustering, fits and searches"),
)

PAPER = Paper("cmbo", "cm-BO", EXPERIMENTS, CLAIMS, principal=(("GP-UCB", "regret"),))
