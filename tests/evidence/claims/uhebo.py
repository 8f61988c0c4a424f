"""UHE-BO: Provably Efficient Bayesian Optimization with Unknown Gaussian Process Hyperparameter
Estimation (arXiv 2306.06844)."""

from claims import judgement as judged
from claims.experiment import Claim, Experiment, Paper

TRIALS = 100
START = "+initial=random+initial_points=5"
HORIZON = f"+exploration_horizon={TRIALS}"
OWN = "UHE-BO"
OTHERS = {"MAP": "gp_map" + START, "MCMC": "gp_mcmc" + START,
          "A-GP-UCB": "agpucb_onestep" + START + "+gamma_rate=10+ucb_multiplier=1.96",
          "Wang & de Freitas": "wang_de_freitas" + START
                               + "+gamma_rate=10+output_warp=0+mean=0+ucb_multiplier=1.96",
          "Portfolio": "portfolio" + START, "Random": "random"}
ABLATIONS = {"RA-BO": "rabo" + START, "Random+EXP3": "random_exp3" + START + HORIZON}
METHODS = {OWN: "uhebo" + START + HORIZON} | OTHERS | ABLATIONS
RUNNING = "+running_rewards=1"
WITH_RUNNING_REWARDS = {name: preset + (RUNNING if name in (OWN, "Portfolio", "Random+EXP3") else "")
                        for name, preset in METHODS.items() if name not in ("A-GP-UCB", "RA-BO")}
TITLES = {"branin": "Branin", "hartmann3": "Hartmann3", "deceptive2": "Deceptive", "h1": "h1",
          "deceptive4": "Deceptive in four dimensions"}
FUNCTIONS = ("branin", "hartmann3", "deceptive2", "h1")
FACTS = ("probability_of_random_now", "seconds")


def function(problem, name=None, methods=None, **changes):
    settings = {"suggestions": TRIALS, "seeds": 20, "quick_seeds": 5, "unit": "mean",
                "checkpoints": (25, 50, TRIALS), "facts": FACTS, "model_error": True} | changes
    name = name or problem
    return Experiment(name=name, title=TITLES[problem] + name.removeprefix(problem),
                      problems=(problem,), methods=methods or METHODS, **settings)


def with_more_initial_points(methods):
    return {name: preset.replace("initial_points=5", "initial_points=10")
            for name, preset in methods.items()}


EXPERIMENTS = tuple(
    [function("branin", choices="100 evaluations, of which 5 are random and the same for all; "
              "the paper names neither number. No noise. A-GP-UCB, which looks one step ahead, and "
              "Wang & de Freitas have the same beliefs as the others. Regrets are divided by the "
              "regret of the function's mean."),
     function("hartmann3"),
     function("deceptive2", choices="In two dimensions, which the paper does not name, and with "
              "the third and fourth branch continuous, which the paper misprints."),
     function("h1", choices="On [-100, 100]^2, with the 1 outside of the root.")]
    + [function("deceptive4", model_error=False, facts=(),
                choices="The second choice of the dimension: four.")]
    + [function(problem, name=problem + ", running rewards", methods=WITH_RUNNING_REWARDS,
                model_error=False, facts=(),
                choices="The second choice of how EXP3's rewards are scaled, which the paper does "
                "not say: by the least and the largest result so far, not by the initial ones'.")
       for problem in ("deceptive2", "h1")]
    + [function(problem, name=problem + " from ten", methods=with_more_initial_points(METHODS),
                model_error=False, facts=(),
                choices="The second choice of what the paper leaves open: 10 random points.")
       for problem in ("deceptive2", "h1")])

TUNED = {"logistic regression": "tuning_logistic2", "boosting": "tuning_boosting4",
         "forest": "tuning_forest4"}
TUNED_TRIALS = 50


def without_start(methods):
    return {name: preset.replace(START, "").replace(HORIZON, f"+exploration_horizon={TUNED_TRIALS}")
            for name, preset in methods.items()}


EXPERIMENTS += tuple(
    Experiment(name=name, title=f"Tuning, {name}", problems=(problem,),
               methods=without_start(METHODS), suggestions=TUNED_TRIALS, seeds=20, quick_seeds=5,
               from_nothing=False, unit="mean", checkpoints=(15, 30, 55),
               facts=("seconds",), choices=choices)
    for (name, problem), choices in zip(TUNED.items(), (
        "Recorded trainings on bundled data instead of HPOBench: the digits for the logistic "
        "regression and the forest, breast cancer for boosting; 5 random points for all, 50 "
        "suggestions among 120 configurations.", "", "")))
AFTER = judged.simple(TRIALS)
TUNED_CURVE = judged.mean_simple(5 + TUNED_TRIALS, 5)
HOW_TUNED = "simple regret, mean over 50 suggestions"
ALL = tuple(OTHERS)


def last_error(study):
    return float(study["model_error"][-1])


def seconds_ratio(other, factor, slower):
    """`slower`: whether the other takes at least `factor` times as long as UHE-BO."""
    def contrasts(results, program=judged.OURS):
        made = []
        for name in ("deceptive2", "hartmann3"):
            of = (name, OWN), (name, other)
            time = judged.total("seconds")
            if slower:
                made.append(judged.difference(results, *of, time, program, factor=1 / factor))
            else:
                made.append(judged.difference(results, *of, time, program, factor=factor))
                made.append(judged.difference(results, *reversed(of), time, program,
                                              factor=factor))
        return made
    return contrasts


def best_on(problem):
    return judged.less(problem, OWN, ALL, AFTER)


HOW_BEST = "simple regret after 100 evaluations, less than that of each of six methods"
CLAIMS = (
    Claim("UHE-BO is significantly better than all methods on Deceptive", "7.1",
          best_on("deceptive2"), HOW_BEST),
    Claim("UHE-BO is significantly better than all methods on h1", "7.1", best_on("h1"), HOW_BEST),
    Claim("The same on Deceptive in four dimensions", "7.1", best_on("deceptive4"), HOW_BEST),
    *(Claim(f"The same on {words}, with rewards scaled by the results so far", "7.1",
            judged.less(f"{problem}, running rewards", OWN, ("MAP", "MCMC", "Portfolio", "Random"),
                        AFTER),
            "simple regret after 100 evaluations, less than that of each of four methods")
      for problem, words in (("deceptive2", "Deceptive"), ("h1", "h1"))),
    Claim("The same on Deceptive, from ten initial points", "7.1",
          best_on("deceptive2 from ten"), HOW_BEST),
    Claim("The same on h1, from ten initial points", "7.1", best_on("h1 from ten"), HOW_BEST),
    Claim("UHE-BO is comparable with the others on Branin", "7.1",
          judged.close("branin", OWN, ("MAP", "MCMC"), AFTER, 0.01),
          "simple regret after 100, differs from MAP's and MCMC's by less than 0.01"),
    Claim("UHE-BO is comparable with the others on Hartmann3", "7.1",
          judged.close("hartmann3", OWN, ("MAP", "MCMC"), AFTER, 0.01),
          "simple regret after 100, differs from MAP's and MCMC's by less than 0.01"),
    Claim("MAP and MCMC perform well on Branin and Hartmann3", "7.1",
          judged.together(judged.below("branin", ("MAP", "MCMC"), AFTER, 0.01),
                          judged.below("hartmann3", ("MAP", "MCMC"), AFTER, 0.01)),
          "simple regret after 100, less than 0.01"),
    Claim("MAP and MCMC perform badly on Deceptive and h1", "7.1",
          judged.together(judged.above("deceptive2", ("MAP", "MCMC"), AFTER, 0.1),
                          judged.above("h1", ("MAP", "MCMC"), AFTER, 0.1)),
          "simple regret after 100, more than 0.1"),
    Claim("UHE-BO outperforms A-GP-UCB and Wang & de Freitas most of the time", "7.1",
          judged.less_on_average(FUNCTIONS, OWN, ("A-GP-UCB", "Wang & de Freitas"), AFTER),
          "simple regret after 100, mean over the four functions"),
    Claim("UHE-BO outperforms Portfolio and Random significantly", "7.1",
          judged.less_on_average(FUNCTIONS, OWN, ("Portfolio", "Random"), AFTER),
          "simple regret after 100, mean over the four functions"),
    Claim("UHE-BO estimates the process more accurately than all baselines except Random", "7.2",
          judged.less_on_average(FUNCTIONS, OWN,
                                 ("MAP", "MCMC", "A-GP-UCB", "Wang & de Freitas", "Portfolio"),
                                 judged.logarithm(last_error)),
          "log10 of the mean squared error of the process's mean, mean over the four functions"),
    Claim("Both parts contribute: UHE-BO is better than Random+EXP3, which lacks the loss", "7.2",
          judged.less_on_average(FUNCTIONS, OWN, ("Random+EXP3",), AFTER),
          "simple regret after 100, mean over the four functions"),
    Claim("RA-BO, which lacks EXP3, is conservative: UHE-BO is better", "7.2",
          judged.less_on_average(FUNCTIONS, OWN, ("RA-BO",), AFTER),
          "simple regret after 100, mean over the four functions"),
    *(Claim(f"Tuning {words}, UHE-BO outperforms the existing methods significantly", "7.1",
            judged.less(name, OWN, ALL, TUNED_CURVE), HOW_TUNED)
      for name, words in (("logistic regression", "a logistic regression"),
                          ("boosting", "boosted trees"))),
    Claim("Tuning a forest, UHE-BO is better than most, except MCMC", "7.1",
          judged.less("forest", OWN, tuple(name for name in ALL if name != "MCMC"), TUNED_CURVE),
          HOW_TUNED),
    Claim("Random performs poorly in all tunings", "7.1",
          judged.together(*[judged.less(name, OWN, ("Random",), TUNED_CURVE) for name in TUNED]),
          HOW_TUNED + ", more than UHE-BO's"),
    Claim("UHE-BO's running time is similar to MAP's", "7.2", seconds_ratio("MAP", 2, False),
          "seconds of a study on Deceptive and Hartmann3, within a factor of 2"),
    Claim("UHE-BO is much faster than MCMC", "7.2", seconds_ratio("MCMC", 3, True),
          "seconds of a study on Deceptive and Hartmann3, less than a third"),
)

FIGURES = tuple((problem, "probability_of_random_now", (OWN, "Random+EXP3", "Portfolio"),
                 "EXP3's probability of a random point") for problem in FUNCTIONS)
PAPER = Paper("uhebo", "UHE-BO", EXPERIMENTS, CLAIMS, FIGURES,
              principal=(("h1", "regret"), ("deceptive2", "regret"),
                         ("deceptive2", "probability_of_random_now"), ("h1", "model_error")))
