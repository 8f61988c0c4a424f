#include "tests/server/store/store_contract.h"

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "server/store/rule_store.h"

namespace slipstream {

BackendTest::BackendTest() {
  options_.now_ms = clock_.Function();
  options_.steady_now = clock_.SteadyFunction();
  options_.retention = absl::Hours(1);
  options_.max_trials_per_study = 3000;
  options_.quotas = &quotas_;
  folder_ = testing::TempDir() + "store_contract_XXXXXX";
  EXPECT_NE(mkdtemp(folder_.data()), nullptr);
}

BackendTest::~BackendTest() { std::filesystem::remove_all(folder_); }

std::unique_ptr<Database> BackendTest::Open(FakeClock& clock) {
  StoreOptions options = options_;
  options.now_ms = clock.Function();
  options.steady_now = clock.SteadyFunction();
  auto opened = GetParam().open(folder_, options);
  EXPECT_TRUE(opened.ok()) << opened.status();
  return std::move(opened).value();
}

void BackendTest::Limit(const std::string& project, Quota quota) {
  limits_.projects[project] = std::move(quota);
  quotas_.Replace(limits_);
}

void StoreContract::Reopen() {
  store_.reset();
  store_ = MakeStore(Open(), options_);
}

StudyRecord StoreContract::Create(const std::string& id) {
  const auto written = CreateStudy(store(), StudyNamed(id));
  EXPECT_TRUE(written.ok()) << written.status;
  return written.record.value_or(StudyRecord());
}

StudyRecord StoreContract::CreateWithLeases(const std::string& id, int count,
                                            const std::string& worker) {
  StudyRecord study = Create(id);
  const absl::Status leased = LeaseFresh(store(), study, worker, count);
  EXPECT_TRUE(leased.ok()) << leased;
  return study;
}

}  // namespace slipstream
