#include "deploy/demo/trainer.h"

#include <utility>

namespace slipstream {
namespace {

constexpr char kLearningRate[] = "learning_rate";
constexpr char kWeightDecay[] = "weight_decay";
constexpr char kLayers[] = "layers";
constexpr char kError[] = "validation_error";

client::NewStudy StudyOf(const TuningPlan& plan) {
  return {.id = plan.study_id,
          .space = {{kLearningRate, client::Log(1e-5, 1)},
                    {kWeightDecay, client::Log(1e-6, 0.1)},
                    {kLayers, client::Integer(1, 8)}},
          .minimize = kError,
          .sources = plan.sources,
          .seed = plan.seed,
          .title = plan.title};
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
absl::StatusOr<double> Evaluate(Client& client, const std::string& study, const Task& task) {
  const absl::StatusOr<std::vector<v1::Trial>> trials = client.Suggest(study, "demo-trainer");
  if (!trials.ok()) return trials.status();
  const v1::Trial& trial = trials->front();
  const absl::StatusOr<HyperParameters> parameters = ParametersOf(trial);
  if (!parameters.ok()) return parameters.status();
  const double error = ValidationError(task, *parameters);
  const absl::StatusOr<v1::Trial> observed = client.Observe(trial.name(), kError, error);
  if (!observed.ok()) return observed.status();
  return error;
}

}  // namespace

absl::StatusOr<Progress> Tune(Client& client, const TuningPlan& plan) {
  const absl::StatusOr<v1::Study> study = client.CreateStudy(StudyOf(plan));
  if (!study.ok()) return study.status();
  Progress progress;
  for (int i = 0; i < plan.evaluations; ++i) {
    const absl::StatusOr<double> error = Evaluate(client, study->name(), plan.task);
    if (!error.ok()) return error.status();
    progress.push_back(*error);
  }
  const absl::StatusOr<v1::Study> completed =
      client.SetStudyState(study->name(), v1::Study::COMPLETED);
  if (!completed.ok()) return completed.status();
  return progress;
}

absl::StatusOr<std::string> RegisterAsSource(Client& client, const std::string& study_id,
                                             const std::string& title) {
  const absl::StatusOr<v1::Study> study = client.GetStudy("studies/" + study_id);
  if (!study.ok()) return study.status();
  std::vector<v1::Observation> observations;
  const absl::Status listed =
      client.ListAllTrials(study->name(), [&observations](const v1::Trial& trial) {
        v1::Observation& observation = observations.emplace_back();
        *observation.mutable_configuration() = trial.configuration();
        *observation.mutable_outcome()->mutable_measurement() = trial.measurement();
        return true;
      });
  if (!listed.ok()) return listed;
  v1::RegisterSourceTaskRequest::Header header;
  header.mutable_source_task()->set_display_name(title);
  *header.mutable_source_task()->mutable_space() = study->space();
  *header.mutable_source_task()->mutable_metrics() = study->metrics();
  const auto registered = client.RegisterSourceTask(std::move(header), observations);
  if (!registered.ok()) return registered.status();
  return registered->source_task().name();
}

}  // namespace slipstream
