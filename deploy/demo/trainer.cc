#include "deploy/demo/trainer.h"

#include <vector>

namespace slipstream {
namespace {

constexpr char kLearningRate[] = "learning_rate";
constexpr char kWeightDecay[] = "weight_decay";
constexpr char kLayers[] = "layers";
constexpr char kError[] = "validation_error";

void AddLogParameter(const char* name, double min, double max, v1::SearchSpace* space) {
  v1::Parameter* parameter = space->add_parameters();
  parameter->set_name(name);
  parameter->mutable_double_domain()->set_min(min);
  parameter->mutable_double_domain()->set_max(max);
  parameter->mutable_double_domain()->set_scale(v1::LOG);
}

v1::Study StudyOf(const TuningPlan& plan) {
  v1::Study study;
  study.set_display_name(plan.title);
  AddLogParameter(kLearningRate, 1e-5, 1, study.mutable_space());
  AddLogParameter(kWeightDecay, 1e-6, 0.1, study.mutable_space());
  v1::Parameter* layers = study.mutable_space()->add_parameters();
  layers->set_name(kLayers);
  layers->mutable_integer_domain()->set_min(1);
  layers->mutable_integer_domain()->set_max(8);
  v1::Metric* metric = study.add_metrics();
  metric->set_name(kError);
  metric->set_goal(v1::Metric::MINIMIZE);
  study.set_seed(plan.seed);
  if (!plan.source_task.empty()) study.add_source_tasks(plan.source_task);
  return study;
}

absl::StatusOr<HyperParameters> ParametersOf(const v1::Trial& trial) {
  const absl::StatusOr<double> learning_rate = GetDouble(trial, kLearningRate);
  if (!learning_rate.ok()) return learning_rate.status();
  const absl::StatusOr<double> weight_decay = GetDouble(trial, kWeightDecay);
  if (!weight_decay.ok()) return weight_decay.status();
  const absl::StatusOr<int64_t> layers = GetInteger(trial, kLayers);
  if (!layers.ok()) return layers.status();
  return HyperParameters{*learning_rate, *weight_decay, *layers};
}

// Runs one evaluation; returns the error for the suggested hyperparameters.
absl::StatusOr<double> Evaluate(Client& client, const std::string& study, DataSet data_set) {
  const absl::StatusOr<std::vector<v1::Trial>> trials = client.Suggest(study, "demo-trainer");
  if (!trials.ok()) return trials.status();
  const v1::Trial& trial = trials->front();
  const absl::StatusOr<HyperParameters> parameters = ParametersOf(trial);
  if (!parameters.ok()) return parameters.status();
  const double error = ValidationError(data_set, *parameters);
  const absl::StatusOr<v1::Trial> observed = client.Observe(trial.name(), kError, error);
  if (!observed.ok()) return observed.status();
  return error;
}

}  // namespace

absl::StatusOr<Progress> Tune(Client& client, const TuningPlan& plan) {
  const absl::StatusOr<v1::Study> study = client.CreateStudy(StudyOf(plan), plan.study_id);
  if (!study.ok()) return study.status();
  Progress progress;
  for (int i = 0; i < plan.evaluations; ++i) {
    const absl::StatusOr<double> error = Evaluate(client, study->name(), plan.data_set);
    if (!error.ok()) return error.status();
    progress.push_back(*error);
  }
  const absl::StatusOr<v1::Study> completed =
      client.SetStudyState(study->name(), v1::Study::COMPLETED);
  if (!completed.ok()) return completed.status();
  return progress;
}

}  // namespace slipstream
