"""The equations of the papers once more, in NumPy, as the papers print them.

Each oracle takes a study that evidence_paper_study wrote down (what was measured, and the
hyperparameters that were learnt) and says for one of its steps what the method believes and wants
at any point: mean and deviation of the function in the unit of the results, and the acquisition
value. Nothing here knows how the presets are implemented. Where a paper leaves a constant open, it
is that of the preset's description, and stands as a name below.
"""

import numpy as np

RIDGE = 1e-4          # This part of the mean variance is added to covariances that are compared (cm-BO).
CMBO_NOISE = np.exp(-4.0)
BARYCENTRE_BLUR = 1e-4  # This part of the kernel's variance is added to the barycentre's covariance.
RGPE_DRAWS = 4000
LEAST_NOISE_PART = 0.1  # A-GP-UCB's bounds take the noise for at least this part of the deviation.
ENV_GP_NOISE = 0.1
LEAST_WEIGHT_PART = 1e-3  # ScaML leaves out sources with less than this part of the mean weight.
WEIGHT_RATE = 1.0         # Its belief in a weight, Gamma(1, 1), is exponential.
PENALTY = 10.0            # C of the ranking machine of Collaborative-BO.


# ---- Gaussian processes ----

def distances(a, b, lengthscales):
    difference = (a[:, None, :] - b[None, :, :]) / lengthscales
    return np.sqrt((difference ** 2).sum(-1))


def correlation(kind, r):
    """At the distance r, in lengthscales."""
    if kind == "gaussian":
        return np.exp(-r ** 2 / 2)
    if kind == "matern52":
        s = np.sqrt(5) * r
        return (1 + s + s ** 2 / 3) * np.exp(-s)
    if kind == "matern32":
        s = np.sqrt(3) * r
        return (1 + s) * np.exp(-s)
    if kind == "matern12":
        return np.exp(-r)
    raise ValueError(kind)


class Kernel:
    """amplitude^2 times a product of correlations; parameters are logarithms, part after part."""

    def __init__(self, kinds, logarithms, dimension):
        self.parts = []
        each = len(logarithms) // len(kinds)
        for i, kind in enumerate(kinds):
            own = np.exp(np.array(logarithms[i * each:(i + 1) * each]))
            lengthscales = own[1:] if each > 2 else np.full(dimension, own[1])
            self.parts.append((kind, own[0], lengthscales))

    def __call__(self, a, b):
        product = np.ones((len(a), len(b)))
        for kind, amplitude, lengthscales in self.parts:
            product *= amplitude ** 2 * correlation(kind, distances(a, b, lengthscales))
        return product

    def divided(self, g):
        other = Kernel.__new__(Kernel)
        other.parts = [(kind, amplitude, l / g) for kind, amplitude, l in self.parts]
        return other

    def limited(self, most):
        other = Kernel.__new__(Kernel)
        other.parts = [(kind, amplitude, np.minimum(l, most)) for kind, amplitude, l in self.parts]
        return other

    @property
    def amplitude(self):
        return np.prod([amplitude for _, amplitude, _ in self.parts])


class Process:
    """A process by its mean and covariance functions."""

    def __init__(self, mean, covariance):
        self.mean = mean
        self.covariance = covariance

    def given(self, x, y, noise):
        """The posterior after y at x with these noise variances, by inverting the matrix."""
        if len(y) == 0:
            return self
        inverse = np.linalg.inv(self.covariance(x, x) + np.diag(np.broadcast_to(noise, len(y))))
        residual = inverse @ (y - self.mean(x))
        return Process(
            lambda a: self.mean(a) + self.covariance(a, x) @ residual,
            lambda a, b: self.covariance(a, b) - self.covariance(a, x) @ inverse @ self.covariance(x, b))

    def variance(self, a):
        return np.array([self.covariance(p[None], p[None])[0, 0] for p in a])

    def at(self, a):
        return self.mean(a), np.sqrt(np.maximum(self.variance(a), 0))


def constant(value):
    return lambda a: np.full(len(a), value)


def prior_process(kernel, mean=0.0):
    return Process(constant(mean), kernel)


def mixture(processes, mean_weights, covariance_weights):
    return Process(
        lambda a: sum(w * p.mean(a) for w, p in zip(mean_weights, processes)),
        lambda a, b: sum(w * p.covariance(a, b) for w, p in zip(covariance_weights, processes)))


# ---- A study as it was written down ----

class Scale:
    def __init__(self, values):
        self.mean = np.mean(values) if len(values) > 0 else 0.0
        self.deviation = np.std(values, ddof=1) if len(values) > 1 else 1.0

    def __call__(self, values):
        return (np.asarray(values) - self.mean) / self.deviation


class AsMeasured:
    mean, deviation = 0.0, 1.0

    def __call__(self, values):
        return np.asarray(values)


class Step:
    """One step of a study: what was known then."""

    def __init__(self, study, step):
        self.study = study
        self.initial = study["initial"]
        count = step["results"]
        self.all_x = np.array(study["x"]).reshape(-1, 2)
        self.all_y = np.array(study["y"])
        self.x = self.all_x[:count]
        self.raw = self.all_y[:count]
        self.members = step["members"]
        self.own = step["members"][0]
        self.told_weights = np.array(step["source_weights"])
        self.facts = step["facts"]
        self.round = step["suggested"] + 1
        self.point = np.array([step["point"]])
        self.dimension = self.x.shape[1]

    def sources(self):
        return self.study["sources"]

    def of_study(self, make):
        """What `make` makes of any step of this study, made once."""
        made = self.study.setdefault("made", {})
        if make not in made:
            made[make] = make(self)
        return made[make]

    def shared_scale(self):
        return Scale(np.concatenate([source["y"] for source in self.sources()]))

    def source_process(self, source, kinds, scale):
        told = source["hyperparameters"]
        kernel = Kernel(kinds, told["kernel"], self.dimension)
        return prior_process(kernel, told["mean"]).given(
            np.array(source["x"]), scale(source["y"]), told["noise"])

    def own_kernel(self, kind, member=None):
        return Kernel([kind], (member or self.own)["kernel"], self.dimension)


class Belief:
    """What a method says of a point: mean and deviation on a scale, and the acquisition value."""

    def __init__(self, scale, predict, acquire):
        self.scale = scale
        self.predict = predict
        self.acquire = acquire


def upper_bound(scale, process, multiplier):
    def acquire(a):
        mean, deviation = process.at(a)
        return mean + multiplier * deviation
    return Belief(scale, process.at, acquire)


def averaged_bound(scale, processes, multiplier):
    """Of equally likely processes: the mixture's moments, and the average of their bounds."""
    def predict(a):
        means = np.array([process.at(a)[0] for process in processes])
        deviations = np.array([process.at(a)[1] for process in processes])
        mean = means.mean(0)
        return mean, np.sqrt((deviations ** 2 + means ** 2).mean(0) - mean ** 2)

    def acquire(a):
        return np.mean([np.add(*np.multiply(process.at(a), [[1], [multiplier]]))
                        for process in processes], 0)
    return Belief(scale, predict, acquire)


def normal_distribution(u):
    from math import erf
    return np.array([0.5 * (1 + erf(value / np.sqrt(2))) for value in u])


def expected_improvement(mean, deviation, best, least=-np.inf):
    """`least`: the least of the deviations by which the mean is above the best."""
    u = np.maximum((mean - best) / deviation, least)
    return deviation * (np.exp(-u ** 2 / 2) / np.sqrt(2 * np.pi) + u * normal_distribution(u))


def improvement(step, process):
    """Expected improvement over the best mean at the results."""
    best = process.mean(step.x).max()
    return Belief(Scale(step.raw), process.at,
                  lambda a: expected_improvement(*process.at(a), best))


def log_improvement(step, process):
    """Its logarithm. Where the mean is six deviations below, all points are as bad."""
    best = process.mean(step.x).max()
    return Belief(Scale(step.raw), process.at,
                  lambda a: np.log(expected_improvement(*process.at(a), best, least=-6)))


# ---- DeltaBO ----

def deltabo(step, scale=None, source_kernel="matern52", beta=0.2):
    """Equations 5 and 7, and line 5 of algorithm 1: the noise of each result has var_g there."""
    scale = scale or step.shared_scale()
    g = step.source_process(step.sources()[0], [source_kernel], scale)
    residual = scale(step.raw) - g.mean(step.x)

    def sum_with_difference(member):
        delta = prior_process(step.own_kernel("gaussian", member)).given(
            step.x, residual, g.variance(step.x) + member["noise"])
        f = Process(lambda a: g.mean(a) + delta.mean(a), None)
        f.variance = lambda a: g.variance(a) + delta.variance(a)
        return f
    return averaged_bound(scale, [sum_with_difference(member) for member in step.members],
                          np.sqrt(beta))


# Its settings for the Gaussian pair: squared exponentials of lengthscale 0.1 everywhere, sigma_0^2 =
# sigma^2 = 0.01, tau = 0.3, on values as they are.
GAUSSIAN_PAIR = {"task_scale": 2, "source_kernel": 2, "source_lengthscale": 0.1,
                 "source_amplitude": 1, "source_noise_deviation": 0.1, "lengthscale": 0.1,
                 "difference_amplitude": 0.3, "noise_deviation": 0.1}


def deltabo_gaussian_pair(step):
    """All of its constants are those above, whatever was learnt or stands in the study."""
    step.members = [{"kernel": [np.log(0.3), np.log(0.1), np.log(0.1)], "noise": 0.01, "mean": 0}]
    step.sources()[0]["hyperparameters"] = {"kernel": [0, np.log(0.1), np.log(0.1)],
                                            "noise": 0.01, "mean": 0}
    return deltabo(step, AsMeasured(), "gaussian")


# ---- Envelope-BO, Env-GP, Diff-GP ----

def envelope_variance(errors, tau=5.0, v=3.0):
    """Equations 20 to 24."""
    return (v + 0.5 * (errors ** 2).sum()) / (tau + len(errors) / 2 + 1)


def joint(step, kernel, mean, source_noise, source_values, scale):
    """Equations 17 to 19."""
    x = np.concatenate([np.array(step.sources()[0]["x"]), step.x])
    y = np.concatenate([source_values, scale(step.raw)])
    noise = np.concatenate([np.broadcast_to(source_noise, len(source_values)),
                            np.full(len(step.raw), step.own["noise"])])
    return prior_process(kernel, mean).given(x, y, noise)


def envelope_process(step):
    scale = step.shared_scale()
    source = step.source_process(step.sources()[0], ["gaussian"], scale)
    sigma = envelope_variance(scale(step.raw) - source.mean(step.x))
    kernel = step.own_kernel("gaussian")
    return scale, joint(step, kernel, 0.0, sigma, scale(step.sources()[0]["y"]), scale)


def largest_mean(process):
    """Over the unit square: a grid, and ever finer ones around its best point."""
    centre, width = np.array([0.5, 0.5]), 0.5
    best = -np.inf
    for _ in range(12):
        line = np.linspace(-width, width, 41)
        grid = np.clip(np.stack(np.meshgrid(centre[0] + line, centre[1] + line), -1), 0, 1)
        grid = grid.reshape(-1, 2)
        means = process.mean(grid)
        best, centre, width = max(best, means.max()), grid[means.argmax()], width / 6
    return best


def envelope_ei(step):
    scale, process = envelope_process(step)
    best = largest_mean(process)

    def acquire(a):
        return expected_improvement(*process.at(a), best)
    return Belief(scale, process.at, acquire)


def envelope_ucb(step):
    """beta_t = 2 log(t^2 2 pi^2 / (3 delta)) + 2 d log(t^2 d b r sqrt(log(4 d a / delta)))."""
    scale, process = envelope_process(step)
    t, d, delta = step.round, step.dimension, 0.01
    beta = (2 * np.log(t ** 2 * 2 * np.pi ** 2 / (3 * delta)) +
            2 * d * np.log(t ** 2 * d * np.sqrt(np.log(4 * d / delta))))
    return upper_bound(scale, process, np.sqrt(beta))


def env_gp(step):
    scale = step.shared_scale()
    process = joint(step, step.own_kernel("matern52"), step.own["mean"], ENV_GP_NOISE,
                    scale(step.sources()[0]["y"]), scale)
    return upper_bound(scale, process, np.sqrt(0.2))


def env_gp_updated(step):
    scale = step.shared_scale()
    source = step.source_process(step.sources()[0], ["matern52"], scale)
    sigma = envelope_variance(scale(step.raw) - source.mean(step.x))
    process = joint(step, step.own_kernel("matern52"), step.own["mean"], sigma,
                    scale(step.sources()[0]["y"]), scale)
    return upper_bound(scale, process, np.sqrt(0.2))


def diff_gp(step):
    """Algorithm 2 of Shilton et al.: the source's points, corrected by a process of differences."""
    scale = step.shared_scale()
    told = step.sources()[0]
    source = step.source_process(told, ["matern52"], scale)
    kernel = step.own_kernel("matern52")
    difference = prior_process(kernel).given(step.x, scale(step.raw) - source.mean(step.x),
                                             step.own["noise"])
    points = np.array(told["x"])
    corrected = scale(told["y"]) + difference.mean(points)
    noise = told["hyperparameters"]["noise"] + difference.variance(points)
    process = joint(step, kernel, step.own["mean"], noise, corrected, scale)
    return upper_bound(scale, process, np.sqrt(0.2))


# ---- cm-BO ----

def root(matrix):
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    return vectors @ np.diag(np.sqrt(np.maximum(values, 0))) @ vectors.T


def wasserstein(p, q):
    """The root of equation 6."""
    (m0, s0), (m1, s1) = p, q
    r = root(s1)
    square = ((m0 - m1) ** 2).sum() + np.trace(s0 + s1 - 2 * root(r @ s0 @ r))
    return np.sqrt(max(square, 0))


def jeffreys(p, q):
    """Equation 4; the logarithms of equation 3 cancel."""
    (m0, s0), (m1, s1) = p, q
    i0, i1 = np.linalg.inv(s0), np.linalg.inv(s1)
    return (0.5 * (np.trace(i1 @ s0) + np.trace(i0 @ s1) + (m1 - m0) @ (i0 + i1) @ (m1 - m0))
            - len(m0))


def at_places(process, places):
    covariance = process.covariance(places, places)
    return process.mean(places), covariance + RIDGE * np.trace(covariance) / len(places) * np.eye(
        len(places))


def barycentre(covariances):
    """The fixed point of S = sum_j (S^1/2 S_j S^1/2)^1/2 / n, by the map that the transports make."""
    s = sum(covariances) / len(covariances)
    for _ in range(100):
        half = root(s)
        inverse = np.linalg.inv(half)
        transported = sum(root(half @ each @ half) for each in covariances) / len(covariances)
        following = inverse @ transported @ transported @ inverse
        step = np.linalg.norm(following - s) / np.linalg.norm(s)
        s = (following + following.T) / 2
        if step < 1e-10:
            break
    return s


def barycentre_process(sources, told, places, dimension):
    """The members' mean, and the process of their kernel that has the barycentre's covariance on the
    grid. Covariances are compared with ridges, whose mean is taken off again."""
    kernel = Kernel(["matern32", "matern12"],
                    np.mean([each["hyperparameters"]["kernel"] for each in told], 0), dimension)
    ridges, covariances = [], []
    for source in sources:
        plain = source.covariance(places, places)
        ridges.append(RIDGE * np.trace(plain) / len(places))
        covariances.append(plain + ridges[-1] * np.eye(len(places)))
    blur = BARYCENTRE_BLUR * kernel.amplitude ** 2
    wanted = barycentre(covariances) + (blur - np.mean(ridges)) * np.eye(len(places))
    inverse = np.linalg.inv(kernel(places, places) + blur * np.eye(len(places)))
    correction = inverse @ (wanted @ inverse - np.eye(len(places)))
    return Process(
        lambda a: sum(source.mean(a) for source in sources) / len(sources),
        lambda a, b: kernel(a, b) + kernel(a, places) @ correction @ kernel(places, b))


def cmbo(distance, weighted=True, centre=False, barycentres=False):
    """Algorithm 1 from line 10 on; `centre`: weights as they are on covariances."""
    def prototypes_of(step):
        clusters = step.study["clusters"]
        told = step.sources()
        sources = [step.source_process(source, ["matern32", "matern12"], Scale(source["y"]))
                   for source in told]
        prototypes = []
        for group in clusters["groups"]:
            members = [sources[i] for i in group]
            part = [1 / len(group)] * len(group)
            prototypes.append(
                barycentre_process(members, [told[i] for i in group],
                                   np.array(clusters["places"]), step.dimension)
                if barycentres and len(group) > 1 else mixture(members, part, part))
        return prototypes

    def adaptive_prior(prototypes, weights):
        return mixture(prototypes, weights, weights if centre else weights ** 2)

    def known_of(step):
        places = np.array(step.study["clusters"]["places"])
        return places, [at_places(prototype, places) for prototype in step.of_study(prototypes_of)]

    def weights_of(step):
        """Those after the initial results, after one more, and so on; `oracle` appends to them."""
        prototypes = step.of_study(prototypes_of)
        return [np.full(len(prototypes), 1 / len(prototypes))]

    def oracle(step):
        prototypes = step.of_study(prototypes_of)
        weights = step.of_study(weights_of)
        # Later steps of a study have the results of earlier ones, and begin with their weights.
        while weighted and len(weights) - 1 < len(step.raw) - step.initial:
            earlier = step.raw[:step.initial + len(weights) - 1]
            places, known = step.of_study(known_of)
            posterior = adaptive_prior(prototypes, weights[-1]).given(
                step.x[:len(earlier)], Scale(earlier)(earlier), CMBO_NOISE)
            there = at_places(posterior, places)
            d = np.array([distance(prototype, there) for prototype in known])
            following = np.exp(1 - d / d.max())
            weights.append(following / following.sum())
        scale = Scale(step.raw)
        assert len(step.raw) >= step.initial
        now = weights[len(step.raw) - step.initial] if weighted else weights[0]
        process = adaptive_prior(prototypes, now).given(step.x, scale(step.raw), CMBO_NOISE)
        return upper_bound(scale, process, 3.0)
    return oracle


# ---- RM-GP-UCB and RM-GP-TS ----

def rm_gp_round(step, eta=1.0, epsilon=0.7, r=0.7):
    """The last round's nu, omega and beta, with the posterior of the target alone."""
    scale = Scale(step.raw)
    y = scale(step.raw)
    prior = prior_process(step.own_kernel("matern52"), step.own["mean"])
    nu, sums = 1.0, np.zeros(len(step.sources()))
    for t in range(1, len(y) - step.initial + 2):
        count = step.initial + t - 1
        posterior = prior.given(step.x[:count], y[:count], step.own["noise"])
        beta = np.sqrt(0.2 * step.dimension * np.log(2 * t))
        gaps = []
        for source in step.sources():
            mean, deviation = posterior.at(np.array(source["x"]))
            values = Scale(source["y"])(source["y"])
            gaps.append(np.maximum(np.abs(mean + beta * deviation - values),
                                   np.abs(mean - beta * deviation - values)).mean())
        sums += gaps
        omega = np.exp(-eta * (sums - sums.min()))
        omega /= omega.sum()
        nu *= min(r, (omega @ gaps) ** -epsilon)
    return scale, posterior, nu, omega, beta


def rm_gp_sources(step):
    return [step.source_process(source, ["matern52"], Scale(source["y"]))
            for source in step.sources()]


def rm_gp_ucb(step, tau=1.0):
    scale, posterior, nu, omega, beta = rm_gp_round(step)
    sources = rm_gp_sources(step)

    def parts(a):
        own_mean, own_deviation = posterior.at(a)
        others = [source.at(a) for source in sources]
        mean = nu * sum(w * m for w, (m, _) in zip(omega, others)) + (1 - nu) * own_mean
        spread = (nu * sum(w * np.sqrt(tau) * s for w, (_, s) in zip(omega, others)) +
                  (1 - nu) * beta * own_deviation)
        return mean, spread

    return Belief(scale, lambda a: (parts(a)[0], parts(a)[1] / beta), lambda a: sum(parts(a)))


def rm_gp_ts(step):
    """What a function is drawn from; which of the two it is, the study's own draw tells."""
    scale, posterior, _, omega, _ = rm_gp_round(step)
    if step.facts["drawn_from_sources"]:
        posterior = mixture(rm_gp_sources(step), omega, omega ** 2)
    return Belief(scale, posterior.at, None)


# ---- RGPE ----

def misranked(drawn, y):
    """How many ordered pairs each draw (a row) ranks as y does not."""
    return ((drawn[:, :, None] < drawn[:, None, :]) != (y[:, None] < y[None, :])).sum((1, 2))


def rgpe_losses(step, kernel, y, sources, random):
    """Ranking losses: a row a draw, a column a source, the target's own last."""
    def draws(process, places):
        mean, covariance = process.mean(places), process.covariance(places, places)
        return mean + random.normal(size=(RGPE_DRAWS, len(places))) @ root(covariance)

    losses = [misranked(draws(source, step.x), y) for source in sources]
    own = np.zeros(RGPE_DRAWS)
    for j in range(len(y)):
        others = np.arange(len(y)) != j
        left_out = prior_process(kernel, step.own["mean"]).given(
            step.x[others], y[others], step.own["noise"])
        drawn = draws(left_out, step.x)
        own += ((drawn[:, [j]] < drawn) != (y[j] < y))[:, others].sum(1)
    return np.column_stack([*losses, own])


def rgpe_weights(step):
    """How often each model ranks best, the target's own last, of those that are not left out. Where it
    ties with sources it is the target."""
    kernel = step.own_kernel("matern52")
    losses = rgpe_losses(step, kernel, Scale(step.raw)(step.raw), rm_gp_sources(step),
                         np.random.default_rng(len(step.raw)))
    allowed = np.percentile(losses[:, -1], 95)
    out = np.median(losses, 0) > allowed
    out[-1] = False
    losses = np.where(out, np.inf, losses)
    best = losses == losses.min(1)[:, None]
    best[best[:, -1], :-1] = False
    return (best / best.sum(1)[:, None]).mean(0)


def rgpe(step):
    """The ensemble under the weights that the study drew (rgpe_weights draws anew), and log expected
    improvement over its best mean at the results."""
    scale = Scale(step.raw)
    weights = np.append(step.told_weights, 1 - step.told_weights.sum())
    own = prior_process(step.own_kernel("matern52"), step.own["mean"]).given(
        step.x, scale(step.raw), step.own["noise"])
    return log_improvement(step, mixture([*rm_gp_sources(step), own], weights, weights ** 2))


# ---- ScaML-GP, and the stacked process (SHGP) ----

def scaml_prior(step, weights):
    """f = sum_i w_i g_i + d, where g_i are the sources' posteriors and independent."""
    own = prior_process(step.own_kernel("matern52"), step.own["mean"])
    return mixture([*step.of_study(rm_gp_sources), own], [*weights, 1], [*weights ** 2, 1])


def scaml(step):
    """With the weights that were learnt, and beta = 9."""
    weights = np.array(step.own["weights"])
    weights = np.where(weights < LEAST_WEIGHT_PART * weights.mean(), 0, weights)
    scale = Scale(step.raw)
    process = scaml_prior(step, weights).given(step.x, scale(step.raw), step.own["noise"])
    return upper_bound(scale, process, 3.0)


def log_evidence(process, x, y, noise):
    """But for its constant."""
    covariance = process.covariance(x, x) + noise * np.eye(len(y))
    residual = y - process.mean(x)
    return -0.5 * (residual @ np.linalg.solve(covariance, residual) +
                   np.linalg.slogdet(covariance)[1])


def log_weights_posterior(step, weights):
    """Of ScaML's weights, all other hyperparameters being what they are."""
    return (log_evidence(scaml_prior(step, weights), step.x, Scale(step.raw)(step.raw),
                         step.own["noise"]) - WEIGHT_RATE * weights.sum())


def most_probable(log_density, low, high):
    """A line and ever finer ones around its best point."""
    for _ in range(14):
        line = np.linspace(low, high, 41)
        best = line[np.argmax([log_density(value) for value in line])]
        width = (high - low) / 20
        low, high = max(low, best - width), min(high, best + width)
    return best


def level_above(below, kernel, x, y, noise):
    """f_l = f_(l-1) + g_l given f_l's results. The amplitude of g_l, as a part of the source's own, is
    the most probable one where its logarithm is N(-1, 1.5^2)."""
    mean, covariance, own = below.mean(x), below.covariance(x, x), kernel(x, x)

    def log_density(logarithm):
        prior = Process(lambda a: mean, lambda a, b: covariance + np.exp(2 * logarithm) * own)
        return log_evidence(prior, x, y, noise) - ((logarithm + 1) / 1.5) ** 2 / 2
    part = np.exp(2 * most_probable(log_density, -6.9, 3.4))
    return mixture([below, prior_process(kernel)], [1, 1], [1, part]).given(x, y, noise)


def stack_of(step):
    """The sources in their order, each level's prior being the posterior of the one below."""
    stack = None
    for source in step.sources():
        told = source["hyperparameters"]
        if stack is None:
            stack = step.source_process(source, ["matern52"], Scale(source["y"]))
            continue
        stack = level_above(stack, Kernel(["matern52"], told["kernel"], step.dimension),
                            np.array(source["x"]), Scale(source["y"])(source["y"]), told["noise"])
    return stack


def stacked(step):
    """The target's level on top of the sources'."""
    own = prior_process(step.own_kernel("matern52"), step.own["mean"])
    process = mixture([step.of_study(stack_of), own], [1, 1], [1, 1]).given(
        step.x, Scale(step.raw)(step.raw), step.own["noise"])
    process.variance = lambda a: np.diag(process.covariance(a, a))
    return log_improvement(step, process)


# ---- Collaborative-BO (SCoT) and Efficient-BO ----

def in_task(x, task):
    """Points of the product of space and tasks; the target is task 0, source i is task i + 1."""
    return np.column_stack([x, np.full(len(x), task)])


def all_tasks(step):
    """Points and standardised results of the target and of each source, a list of each."""
    told = step.sources()
    return ([step.x, *(np.array(source["x"]) for source in told)],
            [Scale(values)(values) for values in [step.raw, *(source["y"] for source in told)]])


def target_of(process):
    """The section of a process over points and tasks that is the target's."""
    return Process(lambda a: process.mean(in_task(a, 0)),
                   lambda a, b: process.covariance(in_task(a, 0), in_task(b, 0)))


def categorical(kind, amplitude, lengthscales):
    """A kernel over points and tasks, any two different tasks being 1 apart."""
    def covariance(a, b):
        apart = a[:, None, -1] != b[None, :, -1]
        r = np.sqrt(distances(a[:, :-1], b[:, :-1], lengthscales[:-1]) ** 2 +
                    apart / lengthscales[-1] ** 2)
        return amplitude ** 2 * correlation(kind, r)
    return covariance


def scores(covariance, values):
    """The ranking machine: what minimises f K^-1 f / 2 + C sum_s sum_(y_i > y_j in s) max(0, 1 - f_i +
    f_j)^2 / n_s, by Newton's steps in g where f = K g."""
    pairs, parts, first = [], [], 0
    for y in values:
        for i, j in zip(*np.nonzero(y[:, None] > y[None, :])):
            row = np.zeros(len(covariance))
            row[first + i], row[first + j] = 1, -1
            pairs.append(row)
            parts.append(1 / len(y))
        first += len(y)
    pairs, parts = np.array(pairs), 2 * PENALTY * np.array(parts)

    def loss(g):
        slack = np.maximum(0, 1 - pairs @ covariance @ g)
        return 0.5 * g @ covariance @ g + 0.5 * parts @ slack ** 2

    g = np.zeros(len(covariance))
    for _ in range(200):
        violated = pairs @ covariance @ g < 1
        weighted = pairs[violated].T * parts[violated]
        step = np.linalg.solve(np.eye(len(g)) + weighted @ pairs[violated] @ covariance,
                               weighted.sum(1)) - g
        length = 1.0
        while loss(g + length * step) > loss(g) and length > 1e-6:
            length /= 2
        g = g + length * step
        if np.abs(covariance @ step).max() < 1e-12:
            break
    return covariance @ g


def collaborative(step):
    """Scores of all points of all tasks by the order of results within each task, and a process for
    them. The scores' unit is their deviation within tasks, and the target's have the results' mean."""
    points, values = all_tasks(step)
    x = np.concatenate([in_task(each, task) for task, each in enumerate(points)])
    believed = [np.sqrt(step.dimension) / np.e] * step.dimension
    f = scores(categorical("gaussian", 1.0, np.array([*believed, 1.0]))(x, x), values)
    ends = np.cumsum([len(each) for each in values])
    within = np.concatenate([part - part.mean() for part in np.split(f, ends[:-1])])
    f = (f - f[:ends[0]].mean()) / np.sqrt((within ** 2).mean())
    own = np.exp(np.array(step.own["kernel"]))
    process = prior_process(categorical("matern52", own[0], own[1:]), step.own["mean"]).given(
        x, f, step.own["noise"])
    return improvement(step, target_of(process))


def task_covariance(step, scale):
    """1 - distance / B of tasks, all of which are neighbours here, without what is negative of its
    spectrum. Tasks have no features: sources are as far apart as their means over the places are, and
    from the target as their means at its results are from these."""
    sources = step.of_study(rm_gp_sources)
    there = [source.mean(np.array(step.study["places"])) for source in sources]
    here = [source.mean(step.x) for source in sources]
    apart = np.zeros((len(sources) + 1, len(sources) + 1))
    for i, mean in enumerate(there):
        apart[0, i + 1] = apart[i + 1, 0] = np.sqrt(((here[i] - Scale(step.raw)(step.raw)) ** 2).mean())
        for j, other in enumerate(there):
            apart[i + 1, j + 1] = np.sqrt(((mean - other) ** 2).mean())
    values, vectors = np.linalg.eigh(1 - apart / scale)
    near = vectors @ np.diag(np.maximum(values, 0)) @ vectors.T
    return near / np.sqrt(np.outer(np.diag(near), np.diag(near)))


def efficient(step, ratio=0.7, scale=30.0):
    """Deviations of each task's results from its mean, in its own deviations, as one process over points
    and tasks. Its k_NN is T(s, s') (1 - |x - x'| / B), which is a covariance where the paper's need be
    none."""
    points, values = all_tasks(step)
    x = np.concatenate([in_task(each, task) for task, each in enumerate(points)])
    tasks = task_covariance(step, scale)
    amplitude, lengthscale = np.exp(np.array(step.own["kernel"]))

    def kernel(a, b):
        r = distances(a[:, :-1], b[:, :-1], np.ones(step.dimension))
        near = tasks[np.ix_(a[:, -1].astype(int), b[:, -1].astype(int))]
        return ((1 - ratio) * amplitude ** 2 * np.exp(-r ** 2 / (2 * lengthscale ** 2)) +
                ratio * near * (1 - r / scale))
    process = prior_process(kernel).given(x, np.concatenate(values), step.own["noise"])
    return improvement(step, target_of(process))


# ---- HyperBO ----

def hyperbo(step, margin=0.1):
    """The sources' process, given the target's results; of the two readings of max-value PI the one of
    the published code: how many noisy deviations the mean is above the best result and a margin."""
    scale = Scale(step.raw)
    y = scale(step.raw)
    process = prior_process(step.own_kernel("matern52"), step.own["mean"]).given(
        step.x, y, step.own["noise"])

    def acquire(a):
        mean, deviation = process.at(a)
        return (mean - y.max() - margin) / np.sqrt(deviation ** 2 + step.own["noise"])
    return Belief(scale, process.at, acquire)


def hyperbo_loss(step, logarithms, mean, noise):
    """The mean over the sources of the negative logarithm of the likelihood."""
    kernel = Kernel(["matern52"], logarithms, step.dimension)
    losses = []
    for source in step.sources():
        x, y = np.array(source["x"]), Scale(source["y"])(source["y"]) - mean
        covariance = kernel(x, x) + noise * np.eye(len(y))
        losses.append(0.5 * (y @ np.linalg.solve(covariance, y) + np.linalg.slogdet(covariance)[1] +
                             len(y) * np.log(2 * np.pi)))
    return np.mean(losses)


# ---- UHE-BO and what it is compared with ----

def uhebo_posterior(step):
    """Standardised results, a mean of 0, Matern 5/2, mu + 1.96 sd, over all members."""
    scale = Scale(step.raw)
    processes = [prior_process(step.own_kernel("matern52", member)).given(
        step.x, scale(step.raw), member["noise"]) for member in step.members]
    return averaged_bound(scale, processes, 1.96)


def wang_de_freitas(step, multiplier=2.0):
    """Lengthscales divided by the least g that brings the deviation at the next point to 0.1."""
    scale = Scale(step.raw)
    kernel = step.own_kernel("matern52").divided(step.facts["g"])
    return upper_bound(scale, prior_process(kernel).given(
        step.x, scale(step.raw), step.own["noise"]), multiplier)


def log_gamma_posterior(step, logarithms, noise, shape=1e-3, rate=10.0):
    """Of logarithms of amplitude and lengthscales, and of the noise variance: Gamma beliefs in
    variance, lengthscales and noise, in log space with the Jacobian, and the likelihood."""
    kernel = Kernel(["matern52"], logarithms, step.dimension)
    y = Scale(step.raw)(step.raw)
    covariance = kernel(step.x, step.x) + noise * np.eye(len(y))
    _, determinant = np.linalg.slogdet(covariance)
    value = -0.5 * (y @ np.linalg.solve(covariance, y) + determinant)
    for theta in [np.exp(2 * logarithms[0]), *np.exp(logarithms[1:]), noise]:
        value += (shape - 1) * np.log(theta) - rate * theta + np.log(theta)
    return value


# ---- A-GP-UCB ----

def information(kernel, x, variance):
    return 0.5 * np.linalg.slogdet(np.eye(len(x)) + kernel(x, x) / variance)[1]


def divided(h, share, dimension):
    """(b, g) of h = b g^d. With b = h^lambda both grow without bound as h does, for any lambda between
    0 and 1, as the paper says of the division whose formula its text has lost."""
    b = h ** share
    return b, (h / b) ** (1 / dimension)


def agpucb(kind="matern52", theory=False, limited=False, norm=2.0, share=0.1, failure=0.1,
           constant_multiplier=2.0):
    """h as it was chosen; the lengthscales and the multiplier that follow from it."""
    def oracle(step):
        scale = Scale(step.raw)
        base = step.own_kernel(kind)
        d, h = step.dimension, step.facts["h"]
        b, g = divided(h, share, d) if theory else (1.0, h)
        kernel = base.limited(1 / g) if limited else base.divided(g)
        process = prior_process(kernel).given(step.x, scale(step.raw), step.own["noise"])
        multiplier = constant_multiplier
        if theory:
            variance = base.amplitude ** 2
            noise = max(step.own["noise"], LEAST_NOISE_PART ** 2 * variance)
            gain = information(kernel, step.x, noise)
            multiplier = (b * g ** d * norm +
                          4 * np.sqrt(noise / variance) * np.sqrt(gain + 1 + np.log(1 / failure)))
        belief = upper_bound(scale, process, multiplier)
        belief.multiplier, belief.g, belief.b, belief.base = multiplier, g, b, base
        return belief
    return oracle


def regret_bound(step, belief, theory, norm=2.0, failure=0.1):
    """Equation 15."""
    variance = belief.base.amplitude ** 2
    noise = max(step.own["noise"], LEAST_NOISE_PART ** 2 * variance)
    grown = belief.g ** step.dimension * information(belief.base, step.x, noise)
    multiplier = 2.0
    if theory:
        multiplier = (belief.b * belief.g ** step.dimension * norm +
                      4 * np.sqrt(noise / variance) * np.sqrt(grown + 1 + np.log(1 / failure)))
    constant_c = 8 / np.log(1 + variance / noise)
    return multiplier * np.sqrt(constant_c * len(step.raw) * grown)


ORACLES = {
    "deltabo": deltabo,
    "envelope_ei": envelope_ei,
    "envelope_ucb": envelope_ucb,
    "env_gp": env_gp,
    "env_gp_updated": env_gp_updated,
    "diff_gp": diff_gp,
    "cmbo_wss_wss": cmbo(wasserstein),
    "cmbo_jef_jef": cmbo(jeffreys),
    "cmbo_jef_wss": cmbo(wasserstein),
    "cmbo_wss_jef": cmbo(jeffreys),
    "cmbo_wss_wss_bary": cmbo(wasserstein, barycentres=True),
    "cmbo_global_centre": cmbo(None, weighted=False),
    "cmbo_individual": cmbo(jeffreys, centre=True),
    "rm_gp_ucb": rm_gp_ucb,
    "rm_gp_ts": rm_gp_ts,
    "rgpe": rgpe,
    "efficient": efficient,
    "uhebo": uhebo_posterior,
    "rabo": uhebo_posterior,
    "random_exp3": uhebo_posterior,
    "portfolio": uhebo_posterior,
    "gp_map": uhebo_posterior,
    "gp_mcmc": uhebo_posterior,
    "agpucb_bound": agpucb(),
    "agpucb_onestep": agpucb(),
    "agpucb_min": agpucb(limited=True),
    "agpucb_theory": agpucb("gaussian", theory=True),
    "agpucb_theory_onestep": agpucb("gaussian", theory=True),
}

# Presets with other options: where the scale h grows within ten suggestions, and a paper's constants.
VARIANTS = {
    "agpucb_onestep_grown": ("agpucb_onestep", {"ucb_multiplier": 0.3},
                             agpucb(constant_multiplier=0.3)),
    "agpucb_min_grown": ("agpucb_min", {"ucb_multiplier": 0.3},
                         agpucb(limited=True, constant_multiplier=0.3)),
    "agpucb_theory_grown": ("agpucb_theory_onestep",
                            {"norm": 0.01, "norm_share": 0.4, "noise_deviation": 0.01,
                             "initial_points": 14},
                            agpucb("gaussian", theory=True, norm=0.01, share=0.4)),
    # Standardised results of all tasks, without a power before that.
    "scaml_standardized": ("scaml", {"output_warp": 0}, scaml),
    "stacked_standardized": ("stacked", {"output_warp": 0}, stacked),
    "collaborative_standardized": ("collaborative", {"output_warp": 0}, collaborative),
    "hyperbo_standardized": ("hyperbo", {"output_warp": 0}, hyperbo),
    # As UHE-BO's paper compares with it: standardised results around a mean of 0.
    "wang_de_freitas_standardized": ("wang_de_freitas", {"output_warp": 0, "mean": 0},
                                     wang_de_freitas),
    "deltabo_gaussian_pair": ("deltabo", GAUSSIAN_PAIR, deltabo_gaussian_pair),
}
