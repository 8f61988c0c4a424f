#include "tests/e2e/messages.h"

#include <utility>

namespace slipstream {
namespace {

void AddLossMetric(v1::Study* study) {
  study->add_metrics()->set_name("loss");
  study->mutable_metrics(0)->set_goal(v1::Metric::MINIMIZE);
}

}  // namespace

v1::Study ExampleStudy(const std::string& preset) {
  v1::Study study;
  v1::Parameter* lr = study.mutable_space()->add_parameters();
  lr->set_name("lr");
  lr->mutable_double_domain()->set_min(1e-5);
  lr->mutable_double_domain()->set_max(1);
  lr->mutable_double_domain()->set_scale(v1::LOG);
  v1::Parameter* layers = study.mutable_space()->add_parameters();
  layers->set_name("layers");
  layers->mutable_integer_domain()->set_min(1);
  layers->mutable_integer_domain()->set_max(8);
  v1::Parameter* kernel = study.mutable_space()->add_parameters();
  kernel->set_name("kernel");
  kernel->mutable_categorical_domain()->add_values("rbf");
  kernel->mutable_categorical_domain()->add_values("poly");
  v1::Parameter* degree = study.mutable_space()->add_parameters();
  degree->set_name("degree");
  degree->mutable_integer_domain()->set_min(2);
  degree->mutable_integer_domain()->set_max(5);
  degree->mutable_condition()->set_parent("kernel");
  degree->mutable_condition()->add_values()->set_category_value("poly");
  AddLossMetric(&study);
  study.mutable_algorithm()->set_preset(preset);
  study.set_seed(7);
  return study;
}

v1::Study CandidateStudy(int candidates, const std::string& preset) {
  v1::Study study;
  v1::Parameter* x = study.mutable_space()->add_parameters();
  x->set_name("x");
  x->mutable_double_domain()->set_min(0);
  x->mutable_double_domain()->set_max(candidates);
  for (int i = 0; i < candidates; ++i) {
    v1::Configuration* row = study.mutable_space()->mutable_candidates()->add_configurations();
    (*row->mutable_values())["x"].set_double_value(i + 0.5);
  }
  AddLossMetric(&study);
  study.mutable_algorithm()->set_preset(preset);
  study.set_seed(7);
  return study;
}

v1::Configuration ExampleConfiguration(double lr, int layers) {
  v1::Configuration configuration;
  (*configuration.mutable_values())["lr"].set_double_value(lr);
  (*configuration.mutable_values())["layers"].set_integer_value(layers);
  (*configuration.mutable_values())["kernel"].set_category_value("rbf");
  return configuration;
}

v1::Observation MeasuredObservation(const v1::Configuration& configuration, double loss) {
  v1::Observation observation;
  *observation.mutable_configuration() = configuration;
  *observation.mutable_outcome() = LossOutcome(loss);
  return observation;
}

v1::Outcome LossOutcome(double loss) {
  v1::Outcome outcome;
  (*outcome.mutable_measurement()->mutable_metrics())["loss"] = loss;
  return outcome;
}

v1::CreateStudyRequest CreateRequest(const v1::Study& study, const std::string& id,
                                     const std::string& request_id) {
  v1::CreateStudyRequest request;
  *request.mutable_study() = study;
  request.set_study_id(id);
  request.set_request_id(request_id);
  return request;
}

v1::SuggestRequest AskRequest(const std::string& study, const std::string& worker, int count,
                              const std::string& request_id) {
  v1::SuggestRequest request;
  request.set_study(study);
  request.set_worker(worker);
  request.set_count(count);
  request.set_request_id(request_id);
  return request;
}

v1::ObserveRequest TellRequest(const std::string& trial, const v1::Outcome& outcome,
                               const std::string& request_id) {
  v1::ObserveRequest request;
  request.set_trial(trial);
  *request.mutable_outcome() = outcome;
  request.set_request_id(request_id);
  return request;
}

std::vector<v1::ExportLine> LinesOf(v1::Study study, const std::vector<v1::Trial>& trials) {
  std::vector<v1::ExportLine> lines(2);
  lines[0].mutable_header()->set_format("slipstream.study");
  lines[0].mutable_header()->set_format_version(1);
  study.set_name("studies/exported");
  study.set_seed(7);
  study.set_state(v1::Study::ACTIVE);
  study.mutable_create_time()->set_seconds(1);
  study.mutable_update_time()->set_seconds(1);
  *lines[1].mutable_study() = std::move(study);
  for (const v1::Trial& trial : trials) {
    v1::ExportedTrial& exported = *lines.emplace_back().mutable_trial();
    exported.set_number(static_cast<int64_t>(lines.size()) - 2);
    *exported.mutable_trial() = trial;
  }
  lines.emplace_back().mutable_end()->set_trial_count(static_cast<int64_t>(trials.size()));
  return lines;
}

v1::Trial WithoutConfiguration(v1::Trial trial) {
  trial.clear_configuration();
  return trial;
}

}  // namespace slipstream
