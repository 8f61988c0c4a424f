// Whether Markov chains have found and told the whole of a distribution.
//
// Thread-safe: free functions without state.
#ifndef SLIPSTREAM_CORE_CALIBRATION_CHAIN_DIAGNOSTICS_H_
#define SLIPSTREAM_CORE_CALIBRATION_CHAIN_DIAGNOSTICS_H_

#include "core/linalg/types.h"

namespace slipstream {

// One quantity, a column for each chain, a row for each draw; at least four
// rows. Both split each chain into halves (Gelman et al., "Bayesian Data
// Analysis", 3rd edition, section 11.4; Vehtari et al. 2021).

// Near 1 when the halves agree; above 1.1 they do not. 1 for a constant;
// infinite where each chain stands still, not all in one place.
double SplitRHat(const Matrix& draws);

// How many independent draws tell as much about the mean, by Geyer's initial
// monotone sequence of the chains' autocorrelations; at most the number of draws,
// and that number for a constant.
double EffectiveSampleSize(const Matrix& draws);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_CALIBRATION_CHAIN_DIAGNOSTICS_H_
