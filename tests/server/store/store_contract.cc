#include "tests/server/store/store_contract.h"

#include <cstdlib>
#include <filesystem>

namespace slipstream {

StoreContract::StoreContract() {
  std::string folder = testing::TempDir() + "store_contract_XXXXXX";
  EXPECT_NE(mkdtemp(folder.data()), nullptr);
  folder_ = folder;
  Reopen();
}

StoreContract::~StoreContract() {
  store_.reset();
  std::filesystem::remove_all(folder_);
}

void StoreContract::Reopen() {
  store_.reset();
  auto opened = GetParam().open(folder_, limits_, clock_.Function());
  ASSERT_TRUE(opened.ok()) << opened.status();
  store_ = *std::move(opened);
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
