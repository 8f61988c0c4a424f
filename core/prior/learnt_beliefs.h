// A process of the target's results alone, whose hyperparameters are believed to be about those of
// the sources (empirical Bayes). For each logarithm t of a hyperparameter of the kernel or the
// noise, of which K sources have the values t_k with mean u and variance v,
//
//   t ~ N(a u + (1 - a) t_0, a v + (1 - a) s_0^2 + a (1 - a) (u - t_0)^2),   a = K / (K + 3),
//
// where N(t_0, s_0^2) is what is believed without sources: the mean and the variance of a mixture
// of both. Nothing is learnt of the function's values, so that sources that are the target's
// opposite do no harm.
//
// Sources whose kernel has other hyperparameters teach nothing.
#ifndef SLIPSTREAM_CORE_PRIOR_LEARNT_BELIEFS_H_
#define SLIPSTREAM_CORE_PRIOR_LEARNT_BELIEFS_H_

#include <memory>

#include "core/gp/model.h"
#include "core/prior/blocks/source_model.h"
#include "core/prior/prior.h"
#include "core/prior/priors.h"

namespace slipstream {

// Changes what the model believes of its kernel and noise to the above; what is fixed stays so.
// Returns how many of the sources taught it something.
size_t LearnBeliefs(const SourceModels& sources, Model& model);

// The same for the noise alone, where sources have less of it than is usual; else what is usual. It
// is never surer than that, and its location has a limit below, where the belief is wider at once,
// so that a target that has more noise can show it in its results. Sources whose results are all
// equal teach nothing.
HyperparameterBelief LearntNoise(const SourceModels& sources);

std::unique_ptr<Prior> MakeLearntBeliefs();

extern const PriorRow kLearntBeliefsPrior;

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_PRIOR_LEARNT_BELIEFS_H_
