#include "server/grpc/unknown_methods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace slipstream {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string TextOf(absl::string_view method) {
  const absl::Status status = UnknownMethod(method, "9.9");
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  return std::string(status.message());
}

TEST(UnknownMethods, ACallerOfOurServiceIsToldItsMethods) {
  EXPECT_THAT(TextOf("/slipstream.v1.OptimizationService/Predict"),
              AllOf(HasSubstr("version 9.9"), HasSubstr("OptimizationService/Predict"),
                    HasSubstr("CreateStudy, GetStudy"), HasSubstr("BackupStore")));
}

TEST(UnknownMethods, ACallerOfAnotherServiceIsToldTheServices) {
  EXPECT_THAT(TextOf("/vizier.VizierService/CreateStudy"),
              AllOf(HasSubstr("/vizier.VizierService/CreateStudy"),
                    HasSubstr("slipstream.v1.OptimizationService"),
                    HasSubstr("grpc.health.v1.Health"), Not(HasSubstr("GetStudy"))));
}

TEST(UnknownMethods, OfWhatCallersChooseLittleIsRepeatedAndNothingUnprintable) {
  EXPECT_LT(TextOf("/" + std::string(10000, 'x')).size(), 500u);
  EXPECT_LT(TextOf("/slipstream.v1.OptimizationService/" + std::string(10000, 'x')).size(), 1000u);
  EXPECT_THAT(TextOf("/a\n\xff/b"), AllOf(HasSubstr("/a\\n\\xff/b"), Not(HasSubstr("\n"))));
}

}  // namespace
}  // namespace slipstream
