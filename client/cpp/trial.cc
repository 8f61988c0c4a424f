#include "slipstream/trial.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "client/cpp/background.h"
#include "client/cpp/held_trial.h"

namespace slipstream::client {
namespace {

absl::StatusOr<Value> ValueOf(const Trial& trial, const std::string& parameter) {
  const auto found = trial.params().find(parameter);
  if (found != trial.params().end()) return found->second;
  return absl::NotFoundError(
      absl::StrCat("trial ", trial.number(), " has no value for '", parameter, "'"));
}

template <typename Kind>
absl::StatusOr<Kind> Get(const Trial& trial, const std::string& parameter, const char* kind) {
  const absl::StatusOr<Value> value = ValueOf(trial, parameter);
  if (!value.ok()) return value.status();
  if (const auto* held = std::get_if<Kind>(&*value)) return *held;
  return absl::InvalidArgumentError(
      absl::StrCat("'", parameter, "' of trial ", trial.number(), " is not ", kind));
}

}  // namespace

Trial::Trial(std::shared_ptr<client_internal::HeldTrial> held,
             std::shared_ptr<client_internal::Background> background)
    : held_(std::move(held)), background_(std::move(background)) {}

Trial::~Trial() = default;
Trial::Trial(Trial&& other) noexcept = default;
Trial& Trial::operator=(Trial&& other) noexcept = default;

const std::string& Trial::name() const { return held_->record().name; }
int64_t Trial::number() const { return held_->record().number; }
const std::string& Trial::worker() const { return held_->worker(); }
std::optional<int64_t> Trial::candidate() const { return held_->record().candidate; }
const Configuration& Trial::params() const { return held_->record().params; }
bool Trial::Has(const std::string& parameter) const { return params().count(parameter) > 0; }

absl::StatusOr<double> Trial::Number(const std::string& parameter) const {
  const absl::StatusOr<int64_t> whole = Integer(parameter);
  if (whole.ok()) return static_cast<double>(*whole);
  return Get<double>(*this, parameter, "a number");
}

absl::StatusOr<int64_t> Trial::Integer(const std::string& parameter) const {
  return Get<int64_t>(*this, parameter, "an integer");
}

absl::StatusOr<std::string> Trial::Choice(const std::string& parameter) const {
  return Get<std::string>(*this, parameter, "a choice");
}

absl::StatusOr<bool> Trial::Boolean(const std::string& parameter) const {
  return Get<bool>(*this, parameter, "a boolean");
}

absl::Status Trial::Report(int64_t step, double value) { return held_->Report(step, value); }
absl::StatusOr<bool> Trial::ShouldStop() { return held_->ShouldStop(); }
std::optional<std::string> Trial::stop_reason() const { return held_->stop_reason(); }

absl::Status Trial::Annotate(const Annotation& annotation) { return held_->Annotate(annotation); }
absl::StatusOr<std::map<std::string, std::string>> Trial::Labels() { return held_->Labels(); }
absl::StatusOr<std::string> Trial::Note() { return held_->Note(); }

absl::Status Trial::Complete(double value) { return held_->Complete(value); }
absl::Status Trial::Fail(const std::string& reason) { return held_->Fail(reason); }
absl::Status Trial::Infeasible(const std::string& reason) { return held_->Infeasible(reason); }
absl::Status Trial::Stop(std::optional<std::string> reason, std::optional<double> value) {
  return held_->Stop(reason, value);
}
absl::Status Trial::Release() { return held_->Release(); }

std::future<absl::Status> Trial::ReportAsync(int64_t step, double value) {
  return background_->Run([held = held_, step, value] { return held->Report(step, value); });
}

std::future<absl::StatusOr<bool>> Trial::ShouldStopAsync() {
  return background_->Run([held = held_] { return held->ShouldStop(); });
}

std::future<absl::Status> Trial::AnnotateAsync(Annotation annotation) {
  return background_->Run(
      [held = held_, annotation = std::move(annotation)] { return held->Annotate(annotation); });
}

std::future<absl::Status> Trial::CompleteAsync(double value) {
  return background_->Run([held = held_, value] { return held->Complete(value); });
}

std::future<absl::Status> Trial::FailAsync(std::string reason) {
  return background_->Run(
      [held = held_, reason = std::move(reason)] { return held->Fail(reason); });
}

std::future<absl::Status> Trial::InfeasibleAsync(std::string reason) {
  return background_->Run(
      [held = held_, reason = std::move(reason)] { return held->Infeasible(reason); });
}

std::future<absl::Status> Trial::StopAsync(std::optional<std::string> reason,
                                           std::optional<double> value) {
  return background_->Run(
      [held = held_, reason = std::move(reason), value] { return held->Stop(reason, value); });
}

bool Trial::lost() const { return held_->lost(); }
bool Trial::ended() const { return held_->ended(); }
std::optional<double> Trial::measured() const { return held_->measured(); }

}  // namespace slipstream::client
