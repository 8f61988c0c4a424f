// Studies whose loss is a bowl with ripples over parameters from 0 to 1. Their tasks differ in
// where the bowl is deepest.
#ifndef SLIPSTREAM_TESTS_BENCHMARKS_BOWL_STUDIES_H_
#define SLIPSTREAM_TESTS_BENCHMARKS_BOWL_STUDIES_H_

#include <string>
#include <vector>

#include "slipstream/v1/services.grpc.pb.h"

namespace slipstream {

// A study that minimises "loss".
v1::Study BowlStudy(int dimension, const std::string& preset);
// Task 0 is the study's own.
double BowlLoss(const v1::Configuration& configuration, int task);
// Measured at random points.
std::vector<v1::Observation> BowlObservations(int dimension, int count, int task);
// Registers so many of them as a source task and returns its name. Throws std::runtime_error if the
// server refuses.
std::string RegisterBowl(v1::OptimizationService::Stub& stub, int dimension, int count, int task);

// Throws std::runtime_error with the status's message if the call failed.
void RequireOk(const grpc::Status& status);

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_BENCHMARKS_BOWL_STUDIES_H_
