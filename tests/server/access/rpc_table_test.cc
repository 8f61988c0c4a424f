#include "server/access/rpc_table.h"

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "slipstream/v1/services.pb.h"

namespace slipstream {
namespace {

using ::testing::UnorderedElementsAreArray;

const google::protobuf::ServiceDescriptor& Descriptor() {
  return *v1::CreateStudyRequest::descriptor()->file()->FindServiceByName("OptimizationService");
}

TEST(RpcTable, EveryMethodOfTheServiceIsInTheTableOnce) {
  std::vector<std::string> methods;
  for (int i = 0; i < Descriptor().method_count(); ++i) {
    methods.push_back(Descriptor().method(i)->name());
  }
  std::vector<std::string> names;
  for (const RpcEntry& entry : RpcTable()) names.emplace_back(entry.name);
  EXPECT_THAT(names, UnorderedElementsAreArray(methods));
}

TEST(RpcTable, EntriesAreFoundByTheirRpc) {
  for (const RpcEntry& entry : RpcTable()) EXPECT_EQ(EntryOf(entry.rpc).name, entry.name);
}

// Every change takes a request id, but for those that may be repeated freely.
TEST(RpcTable, ThoseThatTakeARequestIdAreChanges) {
  for (const RpcEntry& entry : RpcTable()) {
    const auto* method = Descriptor().FindMethodByName(std::string(entry.name));
    ASSERT_NE(method, nullptr) << entry.name;
    const auto* input = method->input_type();
    const auto* header = input->FindFieldByName("header");
    if (header != nullptr) input = header->message_type();
    const bool is_idempotent = entry.rpc == Rpc::kHeartbeat || entry.rpc == Rpc::kReport;
    EXPECT_EQ(input->FindFieldByName("request_id") != nullptr || is_idempotent, entry.changes)
        << entry.name;
  }
}

TEST(RpcTable, ThoseThatLastAreTheStreamsOfAnswers) {
  for (const RpcEntry& entry : RpcTable()) {
    EXPECT_EQ(Descriptor().FindMethodByName(std::string(entry.name))->server_streaming(),
              entry.lasts)
        << entry.name;
  }
}

TEST(RpcTable, AnAdminMayCallEverythingAndATrainerDeletesNothing) {
  for (const RpcEntry& entry : RpcTable()) EXPECT_TRUE(entry.roles.Has(Role::kAdmin));
  EXPECT_FALSE(EntryOf(Rpc::kDeleteStudy).roles.Has(Role::kTrainer));
  EXPECT_FALSE(EntryOf(Rpc::kDeleteSourceTask).roles.Has(Role::kTrainer));
  EXPECT_FALSE(EntryOf(Rpc::kRegisterSourceTask).roles.Has(Role::kTrainer));
  EXPECT_FALSE(EntryOf(Rpc::kObserve).roles.Has(Role::kCi));
  EXPECT_TRUE(EntryOf(Rpc::kRegisterSourceTask).roles.Has(Role::kCi));
}

TEST(Role, NamesAreReadAsTheyAreWritten) {
  for (const Role role : {Role::kTrainer, Role::kOperator, Role::kCi, Role::kAdmin}) {
    EXPECT_EQ(RoleNamed(NameOf(role)), role);
  }
  EXPECT_FALSE(RoleNamed("root").has_value());
  EXPECT_EQ(RoleSet({Role::kTrainer}).ToText(), "trainer or admin");
  EXPECT_EQ(RoleSet({}).ToText(), "admin");
}

}  // namespace
}  // namespace slipstream
