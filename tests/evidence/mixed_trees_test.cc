#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/counter_random.h"
#include "tests/evidence/mixed_problems.h"

namespace slipstream::evidence {
namespace {

// The words of the parameters that open others and of those at the ends.
std::string LeafOf(const SearchSpace& space, const Configuration& configuration) {
  std::string leaf;
  for (size_t i = 0; i < space.dimension(); ++i) {
    const Value& value = configuration.values[i];
    if (space.IsUnordered(i) && value.active()) absl::StrAppend(&leaf, i, "=", value.level(), " ");
  }
  return leaf;
}

TEST(TreeProblems, HaveSoManyLeavesOfWhichOneIsTheBest) {
  const std::map<absl::string_view, size_t> counts = {
      {"deep_tree", 21}, {"shared_tree", 28}, {"wide_tree", 30}, {"bushy_tree", 36}};
  for (const MixedProblem& listed : TreeProblems()) {
    const Problem problem = *MakeMixedProblem(listed, {3, false, false, ""});
    const SearchSpace& space = *problem.space;
    const std::string best = LeafOf(space, MixedTaskOf(listed, space, 3).optimum);
    std::set<std::string> leaves;
    std::vector<double> uniform(space.dimension());
    for (uint64_t i = 0; i < 5000; ++i) {
      for (size_t j = 0; j < uniform.size(); ++j) uniform[j] = CounterRandomUniform(9, i, j);
      const Configuration configuration = space.Sample(uniform);
      leaves.insert(LeafOf(space, configuration));
      if (LeafOf(space, configuration) == best) continue;
      EXPECT_GT(problem.value({configuration, {}}), problem.best + 0.07) << listed.name;
    }
    EXPECT_EQ(leaves.size(), counts.at(listed.name)) << listed.name;
    EXPECT_TRUE(leaves.contains(best)) << listed.name;
  }
}

}  // namespace
}  // namespace slipstream::evidence
