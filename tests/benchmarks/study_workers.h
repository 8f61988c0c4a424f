// Workers in a closed loop on one study: each asks for a trial, measures it at once, tells and asks
// again.
#ifndef SLIPSTREAM_TESTS_BENCHMARKS_STUDY_WORKERS_H_
#define SLIPSTREAM_TESTS_BENCHMARKS_STUDY_WORKERS_H_

#include <string>

#include "slipstream/v1/services.grpc.pb.h"
#include "tests/benchmarks/latencies.h"

namespace slipstream {

// What one load of workers got.
struct Cycles {
  Latencies suggest;
  int cycles = 0;
  double seconds = 0;
  int explained = 0;
  int quasi_random = 0;

  double Rate() const { return cycles / seconds; }
  double P50() const { return suggest.Quantile(0.5) / 1e6; }
  double P99() const { return suggest.Quantile(0.99) / 1e6; }
  double QuasiRandomShare() const {
    return explained == 0 ? 0 : static_cast<double>(quasi_random) / explained;
  }
};

// So many cycles of all workers together on a study of bowl_studies.h.
Cycles RunWorkers(v1::OptimizationService::Stub& stub, const std::string& study, int workers,
                  int cycles);

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_BENCHMARKS_STUDY_WORKERS_H_
