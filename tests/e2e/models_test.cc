// Suggestions from models over a real socket.
#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/e2e/requests.h"
#include "tests/e2e/server_process.h"

namespace slipstream {
namespace {

using ::testing::HasSubstr;
using Stub = v1::OptimizationService::Stub;

// More trials than a study in a mixed space begins with before its model chooses.
constexpr int kAfterFirstPoints = 9;

// ExampleStudy's loss: least at lr 0.01, layers 5, kernel rbf.
double Loss(const v1::Configuration& configuration) {
  const auto& values = configuration.values();
  const double decades = std::log10(values.at("lr").double_value()) + 2;
  const auto layers = static_cast<double>(values.at("layers").integer_value());
  const bool is_poly = values.at("kernel").category_value() == "poly";
  return decades * decades + 0.1 * (layers - 5) * (layers - 5) + (is_poly ? 1 : 0);
}

class Models : public ::testing::Test {
 protected:
  void SetUp() override { Start(); }
  void Start(std::vector<std::string> flags = {}) {
    server_.reset();
    // Under a sanitizer, on a busy machine, a suggestion may take longer than it may by default.
    flags.insert(flags.end(), {"--suggest-seconds", "60"});
    server_ = std::make_unique<ServerProcess>(data_.path(), std::move(flags));
  }
  Stub& stub() { return server_->stub(); }

  void Create(const std::string& preset, const std::string& id) {
    v1::Study study = ExampleStudy(preset);
    study.mutable_metrics(0)->set_noise(v1::Metric::EXACT);
    const grpc::Status status = Call(stub(), &Stub::CreateStudy, CreateRequest(study, id));
    ASSERT_TRUE(status.ok()) << status.error_message();
  }
  v1::Trial Ask(const std::string& study, const std::string& worker = "w") {
    v1::SuggestResponse response;
    const grpc::Status status =
        Call(stub(), &Stub::Suggest, AskRequest("studies/" + study, worker), &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    EXPECT_EQ(response.trials_size(), 1);
    return response.trials_size() > 0 ? response.trials(0) : v1::Trial();
  }
  void Tell(const v1::Trial& trial) {
    const grpc::Status status =
        Call(stub(), &Stub::Observe,
             TellRequest(trial.name(), LossOutcome(Loss(trial.configuration()))));
    ASSERT_TRUE(status.ok()) << status.error_message();
  }
  v1::Explanation Explain(const v1::Trial& trial) {
    v1::ExplainRequest request;
    request.set_trial(trial.name());
    v1::Explanation explanation;
    EXPECT_TRUE(Call(stub(), &Stub::Explain, request, &explanation).ok());
    return explanation;
  }
  static std::set<std::string> FactNames(const v1::Explanation& explanation) {
    std::set<std::string> names;
    for (const auto& fact : explanation.provenance().facts()) names.insert(fact.name());
    return names;
  }

  TemporaryFolder data_;
  std::unique_ptr<ServerProcess> server_;
};

TEST_F(Models, EveryPresetFindsGoodConfigurationsAndExplainsThem) {
  for (const char* preset : {"gp_log_ei", "gp_ucb", "gp_ei", "gp_pi", "gp_ts", "gp_hmc"}) {
    std::string id = preset;
    for (char& c : id) c = c == '_' ? '-' : c;
    Create(preset, id);
    double best = INFINITY;
    v1::Trial last;
    for (int i = 0; i < 25; ++i) {
      last = Ask(id);
      best = std::min(best, Loss(last.configuration()));
      Tell(last);
    }
    EXPECT_LT(best, 0.5) << preset;
    const v1::Explanation explanation = Explain(last);
    EXPECT_EQ(explanation.provenance().preset(), preset);
    EXPECT_EQ(explanation.provenance().rung(), v1::Provenance::RECIPE);
    EXPECT_THAT(FactNames(explanation),
                ::testing::IsSupersetOf({"instruction_set", "predicted_mean", "lengthscales"}));
  }
}

// A source whose loss is ExampleStudy's with another scale.
v1::RegisterSourceTaskResponse RegisterLike(Stub& stub, int observations) {
  const v1::Study study = ExampleStudy();
  v1::RegisterSourceTaskRequest::Header header;
  *header.mutable_source_task()->mutable_space() = study.space();
  *header.mutable_source_task()->mutable_metrics() = study.metrics();
  std::vector<v1::Observation> observed;
  for (int i = 0; i < observations; ++i) {
    const v1::Configuration configuration =
        ExampleConfiguration(std::pow(10, -4.0 + 4.0 * ((i * 37) % 100) / 100), 1 + i % 8);
    observed.push_back(MeasuredObservation(configuration, 3 * Loss(configuration) + 1));
  }
  v1::RegisterSourceTaskResponse response;
  const grpc::Status status = Register(stub, header, observed, &response);
  EXPECT_TRUE(status.ok()) << status.error_message();
  return response;
}

// Until the source is fitted, suggestions are made without it and say so; then it
// is used. The same holds after a restart.
TEST_F(Models, ASourceIsUsedOnceItIsFitted) {
  const std::string source = RegisterLike(stub(), 60).source_task().name();
  v1::Study study = ExampleStudy("stacked");
  study.add_source_tasks(source);
  ASSERT_TRUE(Call(stub(), &Stub::CreateStudy, CreateRequest(study, "with-source")).ok());
  for (int i = 0; i < 5; ++i) Tell(Ask("with-source"));
  for (int restart = 0; restart < 2; ++restart) {
    v1::Explanation explanation;
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (std::chrono::steady_clock::now() < patience) {
      const v1::Trial trial = Ask("with-source");
      explanation = Explain(trial);
      Tell(trial);
      if (explanation.provenance().rung() == v1::Provenance::RECIPE) break;
      EXPECT_EQ(explanation.provenance().rung(), v1::Provenance::WITHOUT_TRANSFER);
      EXPECT_THAT(explanation.provenance().rung_reason(), HasSubstr("being fitted"));
      EXPECT_EQ(explanation.provenance().sources_size(), 0);
    }
    ASSERT_EQ(explanation.provenance().rung(), v1::Provenance::RECIPE);
    ASSERT_EQ(explanation.provenance().sources_size(), 1);
    EXPECT_EQ(explanation.provenance().sources(0).source_task(), source);
    EXPECT_EQ(explanation.provenance().sources(0).weight(), 1);
    EXPECT_THAT(FactNames(explanation),
                ::testing::IsSupersetOf({"sources_used", "source_points_used", "largest_weight"}));
    Start();
  }
}

TEST_F(Models, AStudyMixesItsOwnRecipe) {
  v1::Study study = ExampleStudy("gp_log_ei");
  v1::Recipe* const recipe = study.mutable_algorithm()->mutable_recipe();
  recipe->set_acquisition("ucb");
  recipe->set_calibration("mle");
  (*recipe->mutable_options())["ucb_multiplier"] = 2.5;
  ASSERT_TRUE(Call(stub(), &Stub::CreateStudy, CreateRequest(study, "mixed")).ok());
  for (int restart = 0; restart < 2; ++restart) {
    for (int i = 0; i < kAfterFirstPoints; ++i) Tell(Ask("mixed"));
    const v1::Explanation explanation = Explain(Ask("mixed"));
    ASSERT_GT(explanation.provenance().facts_size(), 0);
    EXPECT_EQ(explanation.provenance().facts(0).text(),
              "prior none, calibration mle, acquisition ucb, exploration turns");
    Start();
  }
  recipe->set_calibration("consistent(fixed)");
  const grpc::Status odd = Call(stub(), &Stub::CreateStudy, CreateRequest(study, "odd"));
  EXPECT_EQ(odd.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(ViolationIn(odd).field(), "study.algorithm.recipe.calibration");
  EXPECT_THAT(ViolationIn(odd).bound(), HasSubstr("leaves it nothing to estimate"));
  recipe->set_calibration("mle");
  recipe->set_acquisition("magic");
  const grpc::Status refused = Call(stub(), &Stub::CreateStudy, CreateRequest(study, "refused"));
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(ViolationIn(refused).field(), "study.algorithm.recipe.acquisition");
  EXPECT_THAT(ViolationIn(refused).bound(), HasSubstr("log_ei"));
}

TEST_F(Models, AStudyThatNamesNoPresetGetsAModel) {
  Create("", "default");
  for (int i = 0; i < kAfterFirstPoints; ++i) Tell(Ask("default"));
  EXPECT_THAT(FactNames(Explain(Ask("default"))), ::testing::Contains("acquisition_value"));
}

// Also when suggestions depend on notes of earlier ones and two trials are open at a
// time.
TEST_F(Models, TheSameHistoryAndSeedGiveTheSameSuggestionsAfterARestart) {
  using google::protobuf::util::MessageDifferencer;
  int study = 0;
  for (const char* preset : {"gp_log_ei", "random_exp3", "agpucb_onestep"}) {
    const auto run = [&](bool restarts) {
      const std::string id = "s" + std::to_string(++study);
      Create(preset, id);
      std::vector<v1::Explanation> explanations;
      std::vector<v1::Trial> open;
      for (int i = 0; i < 12; ++i) {
        if (restarts && (i == 4 || i == 7 || i == 10)) Start();
        open.push_back(Ask(id, "worker-" + std::to_string(i)));
        explanations.push_back(Explain(open.back()));
        if (open.size() < 2) continue;
        Tell(open.front());
        open.erase(open.begin());
      }
      return explanations;
    };
    const std::vector<v1::Explanation> recorded = run(false);
    const std::vector<v1::Explanation> replayed = run(true);
    for (size_t i = 0; i < recorded.size(); ++i) {
      EXPECT_TRUE(MessageDifferencer::Equals(recorded[i].trial().configuration(),
                                             replayed[i].trial().configuration()))
          << preset << " " << i << ": " << replayed[i].trial().configuration().ShortDebugString();
      EXPECT_TRUE(MessageDifferencer::Equals(recorded[i].provenance(), replayed[i].provenance()))
          << preset << " " << i << ": " << replayed[i].provenance().ShortDebugString();
    }
    EXPECT_EQ(recorded.back().provenance().notes_size(),
              std::string(preset) == "gp_log_ei" ? 0 : 1);
  }
}

TEST_F(Models, EightWorkersAtOnceGetEightDifferentConfigurations) {
  Create("gp_log_ei", "s");
  for (int i = 0; i < 6; ++i) Tell(Ask("s"));
  std::vector<v1::Trial> trials(8);
  std::vector<std::thread> workers;
  for (size_t i = 0; i < trials.size(); ++i) {
    workers.emplace_back([&, i] { trials[i] = Ask("s", "worker-" + std::to_string(i)); });
  }
  for (std::thread& worker : workers) worker.join();
  std::set<std::string> configurations;
  for (const v1::Trial& trial : trials) {
    configurations.insert(trial.configuration().ShortDebugString());
    EXPECT_EQ(Explain(trial).provenance().rung(), v1::Provenance::RECIPE);
  }
  EXPECT_EQ(configurations.size(), 8u);
}

TEST_F(Models, AnUnknownKindOfNoiseIsRefused) {
  v1::Study study = ExampleStudy("gp_log_ei");
  study.mutable_metrics(0)->set_noise(static_cast<v1::Metric::Noise>(9));
  const grpc::Status status = Call(stub(), &Stub::CreateStudy, CreateRequest(study, "s"));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(ViolationIn(status).field(), "study.metrics[0].noise");
  EXPECT_EQ(ViolationIn(status).value(), "9");
  EXPECT_THAT(ViolationIn(status).bound(), HasSubstr("EXACT"));
}

TEST_F(Models, RungsAreCountedAndLoggedWhenTheServerEnds) {
  Create("gp_log_ei", "s");
  for (int i = 0; i < 7; ++i) Tell(Ask("s"));
  EXPECT_THAT(server_->Terminate().output,
              HasSubstr("drained suggested_by_recipe=7 suggested_without_transfer=0 "
                        "suggested_without_model=0"));
}

}  // namespace
}  // namespace slipstream
