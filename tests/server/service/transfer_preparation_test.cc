#include "server/service/transfer_preparation.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "server/convert/study_conversion.h"
#include "tests/server/service/service_fixture.h"

namespace slipstream {
namespace {

// A preparation on the fixture's store, apart from the services' own.
class TransferPreparationTest : public ServiceFixture {
 protected:
  struct Parts {
    explicit Parts(Store* store)
        : catalog(store, size_t{1} << 20, size_t{1} << 20),
          fitting(size_t{16} << 20, 100, {}),
          transfer(&catalog, &fitting) {}

    Catalog catalog;
    SourceFitting fitting;
    TransferPreparation transfer;
  };

  void SetUp() override {
    study_ = ExampleStudy("cmbo_wss_wss");
    for (int task = 0; task < 3; ++task) study_.add_source_tasks(RegisterExample(20, task));
  }
  StudyDefinition Definition() const { return *StudyDefinitionFromProto(study_); }
  // Whether a source has been fitted for the study; does not start a fit.
  static bool IsFitted(Parts* parts, const StudyDefinition& definition, size_t source) {
    const auto data = parts->catalog.GetSource(definition.source_ids[source]);
    EXPECT_TRUE(data.ok()) << data.status();
    return parts->fitting.Get(*data, *definition.space, *SourceFitFor(definition, {})).ok();
  }

  v1::Study study_;
};

TEST_F(TransferPreparationTest, FitsAllSourcesOfAStudyInTheBackground) {
  Create(study_);
  Parts parts(store_.get());
  const StudyDefinition definition = Definition();
  EXPECT_TRUE(TransferPreparation::NeedsFits(definition));
  parts.transfer.PrepareStudy("s");
  WaitForFits(&parts.fitting);
  for (size_t source = 0; source < 3; ++source) {
    EXPECT_TRUE(IsFitted(&parts, definition, source)) << source;
  }
}

TEST_F(TransferPreparationTest, FitsNothingForAStudyThatNeedsNoModelsOfItsSources) {
  study_.mutable_algorithm()->set_preset("source_portfolio");
  EXPECT_FALSE(TransferPreparation::NeedsFits(Definition()));
  study_.mutable_algorithm()->set_preset("cmbo_wss_wss");
  study_.clear_source_tasks();
  EXPECT_FALSE(TransferPreparation::NeedsFits(Definition()));
}

TEST_F(TransferPreparationTest, ARegisteredSourceIsFittedInItsOwnSpace) {
  Parts parts(store_.get());
  const StudyDefinition definition = Definition();
  parts.transfer.FitSource(definition.source_ids[1]);
  WaitForFits(&parts.fitting);
  const auto source = *parts.catalog.GetSource(definition.source_ids[1]);
  EXPECT_TRUE(parts.fitting.Get(source, *source->space, SourceFitOptions()).ok());
}

// Observations may be many, and other calls wait for the threads that read.
TEST_F(TransferPreparationTest, TheCallerReadsNothing) {
  Create(study_);
  std::mutex mutex;
  std::set<std::thread::id> readers;
  service_.reset();
  before_read_ = [&](const std::string&) {
    const std::lock_guard lock(mutex);
    readers.insert(std::this_thread::get_id());
  };
  Parts parts(&observed_store_);
  parts.transfer.FitSource(Definition().source_ids[0]);
  parts.transfer.PrepareStudy("s");
  WaitForFits(&parts.fitting);
  EXPECT_EQ(readers.size(), 1u);
  EXPECT_FALSE(readers.contains(std::this_thread::get_id()));
}

TEST_F(TransferPreparationTest, AStudyIsCreatedBeforeItsSourcesAreRead) {
  service_.reset();
  std::promise<void> created;
  const std::shared_future<void> is_created = created.get_future().share();
  std::atomic<bool> was_created = true;
  before_read_ = [&, is_created](const std::string& verb) {
    if (verb != "GetSourceChunks") return;
    was_created = is_created.wait_for(std::chrono::seconds(10)) == std::future_status::ready;
  };
  Restart();  // So that nothing is cached.
  Create(study_);
  created.set_value();
  service_.reset();
  EXPECT_TRUE(was_created);
}

// A suggestion that lacks its sources has them fitted, as after a restart.
TEST_F(TransferPreparationTest, ASuggestionWithoutTransferPreparesTheNextOne) {
  Create(study_);
  AddResults({0, 1, 2, 3, 4, 5});
  Parts parts(store_.get());
  HistoryCache histories(store_.get(), size_t{1} << 20);
  Executor executor("computations", 1, 10);
  LadderCounts ladder;
  const ServiceOptions options;
  const auto suggest = [&](const std::string& worker) {
    SuggestQueue queue(
        {.store = store_.get(),
         .catalog = &parts.catalog,
         .sources = &parts.fitting,
         .histories = &histories,
         .ladder = &ladder,
         .options = &options,
         .on_unready_sources = [&](const std::string& id) { parts.transfer.PrepareStudy(id); }},
        &executor);
    v1::SuggestResponse response;
    std::promise<absl::Status> done;
    SuggestCall call;
    call.study_id = "s";
    call.worker = worker;
    call.response = &response;
    call.done = [&done](absl::Status status) { done.set_value(std::move(status)); };
    queue.Suggest(std::move(call));
    EXPECT_TRUE(done.get_future().get().ok());
    return Explain(response.trials(0).name()).provenance().rung();
  };
  EXPECT_EQ(suggest("first"), v1::Provenance::WITHOUT_TRANSFER);
  WaitForFits(&parts.fitting);
  EXPECT_EQ(suggest("second"), v1::Provenance::RECIPE);
  EXPECT_EQ(ladder.Of(Rung::kWithoutTransfer), 1);
  EXPECT_EQ(ladder.Of(Rung::kRecipe), 1);
}

}  // namespace
}  // namespace slipstream
