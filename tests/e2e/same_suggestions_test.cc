// A study that the service runs gets the suggestions that the same study gets in the harness of
// tests/evidence, bit for bit: what papers' experiments say there, they say of the service.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/recipe/presets.h"
#include "core/strategy/make_strategy.h"
#include "server/convert/space_conversion.h"
#include "tests/e2e/requests.h"
#include "tests/e2e/server_process.h"
#include "tests/evidence/problems.h"
#include "tests/evidence/study.h"

namespace slipstream::evidence {
namespace {

using Stub = v1::OptimizationService::Stub;

constexpr uint64_t kSeed = 3;
constexpr int kTrials = 10;
constexpr char kMetric[] = "value";
constexpr auto kPatienceWithOne = std::chrono::minutes(1);

v1::SearchSpace SpaceOnTheWire(const SearchSpace& space) {
  v1::SearchSpace wire;
  for (const Parameter& parameter : space.parameters()) {
    v1::Parameter* added = wire.add_parameters();
    const auto& domain = std::get<DoubleDomain>(parameter.domain);
    added->set_name(parameter.name);
    added->mutable_double_domain()->set_min(domain.min);
    added->mutable_double_domain()->set_max(domain.max);
    if (domain.scale == Scale::kLog) added->mutable_double_domain()->set_scale(v1::LOG);
  }
  return wire;
}

void SetMetric(const Problem& problem, google::protobuf::RepeatedPtrField<v1::Metric>* metrics) {
  v1::Metric* metric = metrics->Add();
  metric->set_name(kMetric);
  metric->set_goal(problem.goal == Goal::kMaximize ? v1::Metric::MAXIMIZE : v1::Metric::MINIMIZE);
  if (problem.noiseless) metric->set_noise(v1::Metric::EXACT);
}

v1::Outcome ValueOutcome(double value) {
  v1::Outcome outcome;
  (*outcome.mutable_measurement()->mutable_metrics())[kMetric] = value;
  return outcome;
}

// The problem's sources have the names that the service gave them.
class Suggested : public ::testing::TestWithParam<std::pair<const char*, const char*>> {
 protected:
  void SetUp() override {
    absl::StatusOr<Problem> made = MakeProblem(problem_name(), {kSeed, false, true, ""});
    ASSERT_TRUE(made.ok()) << made.status();
    problem_ = *std::move(made);
    for (std::shared_ptr<const SourceTaskData>& source : problem_.sources) {
      auto registered = std::make_shared<SourceTaskData>(*source);
      registered->name = Upload(*source);
      source = std::move(registered);
    }
  }

  std::string preset() const { return GetParam().first; }
  std::string problem_name() const { return GetParam().second; }
  Stub& stub() { return server_.stub(); }

  std::string Upload(const SourceTaskData& source) {
    v1::RegisterSourceTaskRequest::Header header;
    *header.mutable_source_task()->mutable_space() = SpaceOnTheWire(*source.space);
    SetMetric(problem_, header.mutable_source_task()->mutable_metrics());
    std::vector<v1::Observation> observations(source.points.size());
    for (size_t i = 0; i < observations.size(); ++i) {
      ConfigurationToProto(*source.space, source.points[i].configuration,
                           observations[i].mutable_configuration());
      *observations[i].mutable_outcome() = ValueOutcome(*source.points[i].value);
    }
    v1::RegisterSourceTaskResponse response;
    const grpc::Status status = Register(stub(), header, observations, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response.source_task().name();
  }

  void Create(const std::string& id, uint64_t seed) {
    v1::Study study;
    *study.mutable_space() = SpaceOnTheWire(*problem_.space);
    SetMetric(problem_, study.mutable_metrics());
    study.mutable_algorithm()->set_preset(preset());
    study.set_seed(seed);
    for (const auto& source : problem_.sources) study.add_source_tasks(source->name);
    const grpc::Status status = Call(stub(), &Stub::CreateStudy, CreateRequest(study, id));
    ASSERT_TRUE(status.ok()) << status.error_message();
  }

  v1::Trial Ask(const std::string& id) {
    v1::SuggestResponse response;
    const grpc::Status status =
        Call(stub(), &Stub::Suggest, AskRequest("studies/" + id, "worker"), &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    EXPECT_EQ(response.trials_size(), 1);
    return response.trials_size() == 1 ? response.trials(0) : v1::Trial();
  }

  // The worker's part, with the noise of the harness, which depends on the trial's number.
  void Tell(const v1::Trial& trial, uint64_t seed, uint64_t number) {
    const absl::StatusOr<Configuration> configuration =
        ConfigurationFromProto(*problem_.space, trial.configuration());
    ASSERT_TRUE(configuration.ok()) << configuration.status();
    const double value = problem_.value({*configuration, {}}) + NoiseOf(problem_, seed, number);
    const grpc::Status status =
        Call(stub(), &Stub::Observe, TellRequest(trial.name(), ValueOutcome(value)));
    ASSERT_TRUE(status.ok()) << status.error_message();
  }

  v1::Provenance ProvenanceOf(const v1::Trial& trial) {
    v1::ExplainRequest request;
    request.set_trial(trial.name());
    v1::Explanation explanation;
    EXPECT_TRUE(Call(stub(), &Stub::Explain, request, &explanation).ok());
    return explanation.provenance();
  }

  // The service fits sources in the background and suggests without them meanwhile, so another
  // study asks until they are used.
  bool SourcesGetUsed() {
    Create("first", kSeed);
    const auto end = std::chrono::steady_clock::now() + kPatienceWithOne;
    for (uint64_t number = 1; std::chrono::steady_clock::now() < end; ++number) {
      const v1::Trial trial = Ask("first");
      if (ProvenanceOf(trial).sources_size() > 0) return true;
      Tell(trial, kSeed, number);
    }
    return false;
  }

  std::vector<Evaluation> InProcess(uint64_t seed) const {
    const absl::StatusOr<std::unique_ptr<Strategy>> strategy =
        MakeStrategy(*FindPreset(preset()), {});
    EXPECT_TRUE(strategy.ok()) << strategy.status();
    const absl::StatusOr<std::vector<Evaluation>> evaluations =
        RunStudy(**strategy, problem_,
                 {.seed = seed, .suggestions = kTrials, .budget = absl::InfiniteDuration()});
    EXPECT_TRUE(evaluations.ok()) << evaluations.status();
    return evaluations.ok() ? *evaluations : std::vector<Evaluation>();
  }

  TemporaryFolder data_;
  ServerProcess server_{data_.path(), {"--suggest-seconds", "120"}};
  Problem problem_;
};

std::map<std::string, double> NumbersOf(const v1::Provenance& provenance) {
  std::map<std::string, double> numbers;
  for (const v1::Provenance::Fact& fact : provenance.facts()) {
    if (fact.kind_case() == v1::Provenance::Fact::kNumber) numbers[fact.name()] = fact.number();
  }
  for (const auto& source : provenance.sources()) numbers[source.source_task()] = source.weight();
  return numbers;
}

std::map<std::string, double> NumbersOf(const Provenance& provenance) {
  std::map<std::string, double> numbers;
  for (const Fact& fact : provenance.facts) {
    if (const auto* number = std::get_if<double>(&fact.value)) numbers[fact.name] = *number;
  }
  for (const SourceWeight& source : provenance.sources) numbers[source.source] = source.weight;
  return numbers;
}

TEST_P(Suggested, ByTheServiceIsBitForBitWhatTheHarnessSuggests) {
  const uint64_t seed = StudySeed(problem_name(), kSeed);
  const std::vector<Evaluation> expected = InProcess(seed);
  ASSERT_EQ(expected.size(), kTrials);
  ASSERT_TRUE(SourcesGetUsed());
  Create("compared", seed);
  for (const Evaluation& evaluation : expected) {
    SCOPED_TRACE(evaluation.suggestion);
    const v1::Trial trial = Ask("compared");
    const absl::StatusOr<Configuration> configuration =
        ConfigurationFromProto(*problem_.space, trial.configuration());
    ASSERT_TRUE(configuration.ok()) << configuration.status();
    EXPECT_EQ(*configuration, evaluation.point.configuration);
    const v1::Provenance provenance = ProvenanceOf(trial);
    EXPECT_EQ(provenance.rung(), v1::Provenance::RECIPE) << provenance.rung_reason();
    EXPECT_EQ(NumbersOf(provenance), NumbersOf(evaluation.provenance));
    Tell(trial, seed, static_cast<uint64_t>(evaluation.suggestion));
  }
  EXPECT_FALSE(expected.back().provenance.sources.empty());
  EXPECT_THAT(NumbersOf(expected.back().provenance),
              ::testing::Contains(::testing::Key("predicted_mean")));
}

INSTANTIATE_TEST_SUITE_P(OfPapers, Suggested,
                         ::testing::Values(std::pair("deltabo", "delta_model_pair"),
                                           std::pair("cmbo_wss_wss", "branin_noisy_family")),
                         [](const auto& one) { return std::string(one.param.first); });

}  // namespace
}  // namespace slipstream::evidence
