#include "tests/evidence/space_text.h"

#include <gtest/gtest.h>

#include "tests/evidence/mixed_parameters.h"

namespace slipstream::evidence {
namespace {

SearchSpace MachineSpace() {
  return *SearchSpace::Create({Words("kernel", {"rbf", "poly"}),
                               When(Real("gamma", 0.25, 4, Scale::kLog), "kernel", {"rbf"}),
                               When(Whole("degree", 2, 5), "kernel", {"poly"}),
                               Levels("size", {1, 2.5}), Switch("scaled")});
}

TEST(SpaceText, WritesParametersAsJson) {
  EXPECT_EQ(JsonOf(MachineSpace()),
            R"([{"name": "kernel", "type": "categorical", "values": ["rbf", "poly"]}, )"
            R"({"name": "gamma", "type": "double", "min": 0.25, "max": 4, "scale": "log", )"
            R"("condition": {"parent": "kernel", "values": ["rbf"]}}, )"
            R"({"name": "degree", "type": "integer", "min": 2, "max": 5, "scale": "linear", )"
            R"("condition": {"parent": "kernel", "values": ["poly"]}}, )"
            R"({"name": "size", "type": "discrete", "values": [1, 2.5], "scale": "linear"}, )"
            R"({"name": "scaled", "type": "boolean"}])");
}

TEST(SpaceText, EscapesQuotes) { EXPECT_EQ(JsonString("a\"b\\c"), R"("a\"b\\c")"); }

TEST(SpaceText, ReadsConfigurations) {
  const SearchSpace space = MachineSpace();
  const auto read = ParseConfiguration(space, "scaled=true\tkernel=poly\tdegree=3\tsize=2.5");
  ASSERT_TRUE(read.ok()) << read.status();
  const auto expected = space.Resolve(
      {{{"kernel", "poly"}, {"degree", int64_t{3}}, {"size", 2.5}, {"scaled", true}}});
  EXPECT_EQ(*read, *expected);
}

TEST(SpaceText, RefusesWhatTheSpaceRefuses) {
  const SearchSpace space = MachineSpace();
  for (const char* line : {"", "kernel=rbf\tgamma=9\tsize=1\tscaled=true", "colour=red",
                           "kernel=rbf\tgamma=wide\tsize=1\tscaled=true"}) {
    EXPECT_EQ(ParseConfiguration(space, line).status().code(), absl::StatusCode::kInvalidArgument)
        << line;
  }
}

}  // namespace
}  // namespace slipstream::evidence
