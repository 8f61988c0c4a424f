#include "tests/benchmarks/bowl_studies.h"

#include <cmath>
#include <cstdint>
#include <stdexcept>

#include "absl/strings/str_cat.h"
#include "core/base/counter_random.h"
#include "tests/e2e/requests.h"

namespace slipstream {
namespace {

std::string ParameterName(int place) { return absl::StrCat("x", place); }

}  // namespace

v1::Study BowlStudy(int dimension, const std::string& preset) {
  v1::Study study;
  for (int i = 0; i < dimension; ++i) {
    v1::Parameter* parameter = study.mutable_space()->add_parameters();
    parameter->set_name(ParameterName(i));
    parameter->mutable_double_domain()->set_min(0);
    parameter->mutable_double_domain()->set_max(1);
  }
  study.add_metrics()->set_name("loss");
  study.mutable_metrics(0)->set_goal(v1::Metric::MINIMIZE);
  study.mutable_algorithm()->set_preset(preset);
  study.set_seed(7);
  return study;
}

double BowlLoss(const v1::Configuration& configuration, int task) {
  double loss = 0;
  for (const auto& [name, value] : configuration.values()) {
    const double off = value.double_value() - 0.4 - 0.03 * task;
    loss += off * off + 0.02 * (1 - std::cos(12 * off));
  }
  return loss;
}

std::vector<v1::Observation> BowlObservations(int dimension, int count, int task) {
  std::vector<v1::Observation> observations;
  for (int i = 0; i < count; ++i) {
    v1::Configuration configuration;
    for (int d = 0; d < dimension; ++d) {
      (*configuration.mutable_values())[ParameterName(d)].set_double_value(CounterRandomUniform(
          static_cast<uint64_t>(task), static_cast<uint64_t>(i), static_cast<uint64_t>(d)));
    }
    observations.push_back(MeasuredObservation(configuration, BowlLoss(configuration, task)));
  }
  return observations;
}

std::string RegisterBowl(v1::OptimizationService::Stub& stub, int dimension, int count, int task) {
  const v1::Study study = BowlStudy(dimension, "");
  v1::RegisterSourceTaskRequest::Header header;
  *header.mutable_source_task()->mutable_space() = study.space();
  *header.mutable_source_task()->mutable_metrics() = study.metrics();
  v1::RegisterSourceTaskResponse response;
  RequireOk(Register(stub, header, BowlObservations(dimension, count, task), &response));
  return response.source_task().name();
}

void RequireOk(const grpc::Status& status) {
  if (!status.ok()) throw std::runtime_error(status.error_message());
}

}  // namespace slipstream
