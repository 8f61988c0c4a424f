// Plants one violation at a time in a small tree without any and expects that it
// alone is found.
#include "tests/architecture/violations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <string.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/architecture/source_tree.h"

namespace slipstream {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class Architecture : public ::testing::Test {
 protected:
  Architecture() {
    std::string pattern = ::testing::TempDir() + "architecture.XXXXXX";
    root_ = mkdtemp(pattern.data());
    for (const char* file : {"CMakeLists.txt", "CMakePresets.json", "README.md", "LICENSE",
                             "deploy/test", "proto/slipstream/v1/space.proto"}) {
      Write(file, "");
    }
    Write("core/space/search_space.h", "#include <vector>\n#include \"core/base/status.h\"\n");
    Write("server/main.cc", "#include \"server/store/sqlite/sqlite_store.h\"\n");
    Write("tests/server/main_test.cc", "");
    Write("client/cpp/client.h", "#include \"slipstream/v1/study.pb.h\"\n");
    Write("tests/core/space/search_space_test.cc",
          "#include <gtest/gtest.h>\n#include \"server/store/sqlite/sqlite_store.h\"\n");
  }
  ~Architecture() override { fs::remove_all(root_); }

  void Write(const std::string& path, std::string_view text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }

  std::vector<std::string> Find() { return FindViolations(root_); }

  fs::path root_;
};

TEST_F(Architecture, AProperTreeHasNoViolations) { EXPECT_THAT(Find(), IsEmpty()); }

TEST_F(Architecture, TheMessageNamesFileLineIncludeAndArrow) {
  Write("core/gp/kernel.h", "// Kernels.\n#include <cmath>\n#include \"server/store/store.h\"\n");
  EXPECT_THAT(Find(), ElementsAre("core/gp/kernel.h:3: includes 'server/store/store.h': "
                                  "'core/gp' must not include 'server/store'"));
}

TEST_F(Architecture, ALineLooksLikeAnIncludeWithAnySpacing) {
  Write("core/gp/kernel.h", "  #  include<server/store/store.h> // x");
  EXPECT_THAT(Find(), ElementsAre(StartsWith("core/gp/kernel.h:1: includes")));
}

// A file with an #include that its folder must not have.
struct Planted {
  const char* file;
  const char* include;
};

void PrintTo(const Planted& planted, std::ostream* out) {
  *out << planted.file << " includes " << planted.include;
}

class BrokenArrow : public Architecture, public ::testing::WithParamInterface<Planted> {};

TEST_P(BrokenArrow, IsFound) {
  Write(GetParam().file, std::string("#include ") + GetParam().include + "\n");
  const std::string header(GetParam().include + 1, strlen(GetParam().include) - 2);
  EXPECT_THAT(Find(), ElementsAre(AllOf(StartsWith(std::string(GetParam().file) + ":1: "),
                                        HasSubstr("'" + header + "'"))));
}

INSTANTIATE_TEST_SUITE_P(
    BetweenHouses, BrokenArrow,
    ::testing::Values(Planted{"core/space/a.h", "\"server/convert/space_conversion.h\""},
                      Planted{"core/space/a.h", "\"client/cpp/client.h\""},
                      Planted{"core/space/a.h", "\"slipstream/v1/space.pb.h\""},
                      Planted{"client/cpp/a.h", "\"core/space/search_space.h\""},
                      Planted{"client/cpp/a.h", "\"server/service/studies.h\""},
                      Planted{"client/cpp/a.h", "\"client/cli/commands.h\""},
                      Planted{"client/cli/a.h", "\"core/space/search_space.h\""},
                      Planted{"server/main.cc", "\"client/cpp/client.h\""},
                      Planted{"server/service/a.h", "\"tests/testing/fake_clock.h\""},
                      Planted{"core/space/a.h", "\"tests/testing/fake_clock.h\""},
                      Planted{"client/cpp/a.h", "\"tests/testing/fake_clock.h\""},
                      Planted{"deploy/demo/a.h", "\"core/space/search_space.h\""},
                      Planted{"proto/slipstream/v1/a.h", "\"core/space/search_space.h\""}));

INSTANTIATE_TEST_SUITE_P(
    InsideCore, BrokenArrow,
    ::testing::Values(Planted{"core/base/a.h", "\"core/space/search_space.h\""},
                      Planted{"core/space/a.h", "\"core/gp/kernel.h\""},
                      Planted{"core/linalg/a.h", "\"core/space/search_space.h\""},
                      Planted{"core/linalg/a.h", "\"core/gp/kernel.h\""},
                      Planted{"core/gp/a.h", "\"core/prior/prior.h\""},
                      Planted{"core/gp/a.h", "\"core/optim/multistart.h\""},
                      Planted{"core/calibration/a.h", "\"core/acquisition/ucb.h\""},
                      Planted{"core/prior/a.h", "\"core/strategy/strategy.h\""},
                      Planted{"core/acquisition/a.h", "\"core/strategy/strategy.h\""},
                      Planted{"core/optim/a.h", "\"core/strategy/strategy.h\""}));

INSTANTIATE_TEST_SUITE_P(
    InsideServer, BrokenArrow,
    ::testing::Values(Planted{"server/store/a.h", "\"server/service/studies.h\""},
                      Planted{"server/store/a.h", "\"server/store/sqlite/sqlite_store.h\""},
                      Planted{"server/store/sqlite/a.h", "\"server/convert/page_token.h\""},
                      Planted{"server/convert/a.h", "\"server/service/studies.h\""},
                      Planted{"server/service/a.h", "\"server/grpc/adapter.h\""},
                      Planted{"server/service/a.h", "\"server/store/sqlite/sqlite_store.h\""},
                      Planted{"server/grpc/a.h", "\"server/store/sqlite/sqlite_store.h\""}));

INSTANTIATE_TEST_SUITE_P(ForeignLibraries, BrokenArrow,
                         ::testing::Values(Planted{"core/space/a.h", "<grpcpp/grpcpp.h>"},
                                           Planted{"core/space/a.h",
                                                   "<google/protobuf/message.h>"},
                                           Planted{"core/strategy/a.h", "<sqlite3.h>"},
                                           Planted{"core/strategy/a.h", "\"sqlite3.h\""},
                                           Planted{"core/strategy/a.h", "<unistd.h>"},
                                           Planted{"core/strategy/a.h", "<gtest/gtest.h>"},
                                           Planted{"core/strategy/a.h", "<armadillo/matrix.h>"},
                                           Planted{"server/service/a.h", "<grpcpp/grpcpp.h>"},
                                           Planted{"server/convert/a.h", "<grpcpp/grpcpp.h>"},
                                           Planted{"server/store/a.h", "<sqlite3.h>"},
                                           Planted{"server/grpc/a.h", "<sqlite3.h>"},
                                           Planted{"server/store/sqlite/a.h", "<grpcpp/grpcpp.h>"},
                                           Planted{"client/cpp/a.h", "<sqlite3.h>"}));

INSTANTIATE_TEST_SUITE_P(UnknownPlaces, BrokenArrow,
                         ::testing::Values(Planted{"core/space/a.h", "\"core/cooking/soup.h\""},
                                           Planted{"server/grpc/a.h",
                                                   "\"server/store/postgres/store.h\""},
                                           Planted{"core/space/a.h", "\"search_space.h\""},
                                           Planted{"core/space/a.h", "\"../base/status.h\""},
                                           Planted{"tests/core/a.cc", "\"search_space.h\""}));

TEST_F(Architecture, OnlyTestsHaveGeneratedStubsOfTheirOwn) {
  Write("tests/benchmarks/a.cc", "#include \"probe.pb.h\"\n");
  EXPECT_THAT(Find(), IsEmpty());
  Write("server/grpc/a.h", "#include \"probe.pb.h\"\n");
  EXPECT_THAT(Find(), ElementsAre(StartsWith("server/grpc/a.h:1: ")));
}

TEST_F(Architecture, ANewFolderMustBeAddedToTheTable) {
  for (const char* file : {"core/cooking/soup.cc", "core/loose.cc", "server/store/postgres/a.cc",
                           "client/rust/a.cc"}) {
    Write(file, "");
    EXPECT_THAT(Find(), ElementsAre(AllOf(StartsWith(file), HasSubstr("new folder")))) << file;
    fs::remove(root_ / file);
  }
}

TEST_F(Architecture, AnUnexpectedTopLevelEntryIsFound) {
  Write("scripts/run.sh", "");
  EXPECT_THAT(Find(), ElementsAre(StartsWith("scripts: does not belong")));
}

TEST_F(Architecture, AMissingTopLevelEntryIsFound) {
  fs::remove(root_ / "README.md");
  EXPECT_THAT(Find(), ElementsAre(StartsWith("README.md: is missing")));
}

TEST_F(Architecture, ASourceNeedsATestOrALineThatSaysWhatTestsIt) {
  Write("core/base/status.cc", "");
  EXPECT_THAT(Find(), ElementsAre(StartsWith("core/base/status.cc: has no tests/core/base/")));
  Write("tests/core/base/CMakeLists.txt", "# other_status.cc: x_test.cc\n");
  EXPECT_THAT(Find(), ElementsAre(StartsWith("core/base/status.cc: has no ")));
  Write("tests/core/base/CMakeLists.txt", "# status.cc: other_test.cc\n");
  EXPECT_THAT(Find(), IsEmpty());
  Write("tests/core/base/CMakeLists.txt", "");
  Write("tests/core/base/status_test.cc", "");
  EXPECT_THAT(Find(), IsEmpty());
}

TEST_F(Architecture, TestsOverASocketMayCoverAServersSource) {
  Write("server/grpc/server.cc", "");
  EXPECT_THAT(Find(), ElementsAre(StartsWith("server/grpc/server.cc: has no tests/server/grpc/")));
  Write("tests/e2e/CMakeLists.txt", "# server.cc: process_test.cc\n");
  EXPECT_THAT(Find(), ElementsAre(StartsWith("server/grpc/server.cc: has no ")));
  Write("tests/e2e/CMakeLists.txt", "# server/grpc/server.cc: process_test.cc\n");
  EXPECT_THAT(Find(), IsEmpty());
}

TEST_F(Architecture, ATestThatSleepsIsFound) {
  Write("tests/e2e/a_test.cc", "\n\nstd::this_thread::sleep_for(kPause);\n");
  Write("tests/e2e/b.h", "absl::SleepFor(pause);");
  Write("tests/client/python/c_test.py", "import time\ntime.sleep(1)\n");
  Write("tests/deploy/d", "#!/usr/bin/env python3\nawait asyncio.sleep(1)\n");
  EXPECT_THAT(Find(), ElementsAre(StartsWith("tests/client/python/c_test.py:2: sleeps"),
                                  StartsWith("tests/deploy/d:2: sleeps"),
                                  StartsWith("tests/e2e/a_test.cc:3: sleeps"),
                                  StartsWith("tests/e2e/b.h:1: sleeps")));
}

TEST_F(Architecture, AHashMapThatAFailedAllocationCorruptsIsFound) {
  Write("core/space/a.h", "\n#include \"absl/container/flat_hash_map.h\"\n");
  Write("client/cli/b.cc", "#include \"absl/container/flat_hash_map.h\"\n");
  EXPECT_THAT(Find(), Contains(StartsWith("core/space/a.h:2: uses a hash map of Abseil")));
  EXPECT_THAT(Find(), Not(Contains(StartsWith("client/cli/b.cc:1: uses"))));
}

TEST_F(Architecture, WhatTestsWaitByMaySleepAndSoMayPrograms) {
  Write("tests/testing/eventually.cc", "std::this_thread::sleep_for(kPause);\n");
  Write("tests/testing/waiting.py", "time.sleep(PAUSE)\n");
  Write("deploy/demo/health.cc", "absl::SleepFor(pause);\n");
  Write("tests/deploy/CMakeLists.txt", "# demo/health.cc: compare_test.py\n");
  EXPECT_THAT(Find(), IsEmpty());
}

TEST_F(Architecture, AnExceptionForAFileThatDoesNotSleepIsFound) {
  Write("tests/testing/waiting.py", "time.sleep(PAUSE)\n");
  const std::vector<std::string> stale = FindStaleEntries(root_);
  EXPECT_THAT(stale, Contains(AllOf(HasSubstr("eventually.cc"), HasSubstr("sleep"))));
  EXPECT_THAT(stale, Not(Contains(HasSubstr("waiting.py"))));
}

TEST_F(Architecture, TestsOfAFolderThatDoesNotExistAreFound) {
  Write("tests/core/cooking/soup_test.cc", "");
  EXPECT_THAT(Find(), ElementsAre("tests/core/cooking/soup_test.cc: tests the folder "
                                  "'core/cooking', which does not exist"));
}

TEST_F(Architecture, ALineThatIsTooLongIsFound) {
  // Two bytes each.
  std::string umlauts;
  for (int i = 0; i < 97; ++i) umlauts += "\u00e4";
  Write("core/space/search_space.h", "\n// " + umlauts + "\n");
  EXPECT_THAT(Find(), IsEmpty());
  Write("core/space/search_space.h", "\n// " + umlauts + "a\n");
  Write("client/python/long.py", "# " + std::string(108, 'a'));
  Write("core/CMakeLists.txt", std::string(121, '#'));
  EXPECT_THAT(
      Find(),
      ElementsAre(AllOf(StartsWith("core/CMakeLists.txt:1: "), HasSubstr("121"), HasSubstr("120")),
                  AllOf(StartsWith("core/space/search_space.h:2: "), HasSubstr("101"))));
}

TEST_F(Architecture, ALinkThatLeadsNowhereIsFound) {
  Write("deploy/README.md", "# Running it\n\nSee [the test](test), [all tests](../tests/)\n"
                            "and [the\nprotocol](../proto/slipstream).\n");
  EXPECT_THAT(Find(), IsEmpty());
  Write("README.md", "\n[one](deploy/READ.md), ![two](picture.svg)\nand [`three`](../README.md)\n");
  EXPECT_THAT(Find(), ElementsAre("README.md:2: links to 'deploy/READ.md', which does not exist",
                                  "README.md:2: links to 'picture.svg', which does not exist",
                                  "README.md:3: links to '../README.md', which does not exist"));
}

TEST_F(Architecture, ALinkToAHeadingThatIsNotThereIsFound) {
  Write("deploy/README.md", "# Backup, `restore` & co\n## Limits\n### Limits\n"
                            "```\n# No heading\n```\n[up](#limits-1)\n");
  Write("README.md", "[a](deploy/README.md#backup-restore--co) [b](deploy/README.md#limits-1)\n");
  EXPECT_THAT(Find(), IsEmpty());
  Write("README.md", "[a](deploy/README.md#limits-2)\n[b](deploy/README.md#no-heading)\n[c](#c)\n");
  EXPECT_THAT(Find(),
              ElementsAre("README.md:1: links to '#limits-2', which is no heading of "
                          "deploy/README.md",
                          "README.md:2: links to '#no-heading', which is no heading of "
                          "deploy/README.md",
                          "README.md:3: links to '#c', which is no heading of README.md"));
}

TEST_F(Architecture, CodeAndOtherSitesAreNoLinksOfOurs) {
  Write("README.md", "[a](https://example.com/none) `f[i](x)` ``a` [b](c)`` `[d]\n(e) [f](g)`\n"
                     "```\n  \n[h](i)\n```\nA lone ` and\n\n[j](k) ` another\n");
  EXPECT_THAT(Find(), ElementsAre("README.md:9: links to 'k', which does not exist"));
}

TEST_F(Architecture, TableEntriesWithoutAFolderAreFound) {
  const std::vector<std::string> stale = FindStaleEntries(root_);
  EXPECT_THAT(stale, Contains("layers.cc: names the folder 'core/gp', which does not exist"));
  EXPECT_THAT(stale, Not(Contains(HasSubstr("'core/space'"))));
}

TEST_F(Architecture, DotFilesAndBuildTreesAreLeftAlone) {
  Write(".clang-format", "");
  Write(".build/release/core/a.cc", "#include \"server/store/store.h\"\n");
  EXPECT_THAT(Find(), IsEmpty());
}

TEST_F(Architecture, GitIgnoredFilesAreLeftAloneAndNewOnesAreNot) {
  const std::string git_init = "git init --quiet '" + root_.string() + "' 2>/dev/null";
  if (std::system(git_init.c_str()) != 0) GTEST_SKIP() << "git is not there";
  Write(".gitignore", "/output/\n");
  Write("output/a.cc", "#include \"server/store/store.h\"\n");
  EXPECT_THAT(Find(), IsEmpty());
  Write("results/a.cc", "");
  EXPECT_THAT(Find(), ElementsAre(StartsWith("results: does not belong"),
                                  StartsWith("results/a.cc: 'results' is a new folder")));
}

TEST(ParseIncludes, CountsLinesAndKeepsTheKindOfQuote) {
  const std::vector<Include> includes = ParseIncludes("\n#include <a>\n\n#include \"b/c.h\"");
  ASSERT_EQ(includes.size(), 2u);
  EXPECT_EQ(includes[0].line, 2);
  EXPECT_EQ(includes[0].header, "a");
  EXPECT_FALSE(includes[0].quoted);
  EXPECT_EQ(includes[1].line, 4);
  EXPECT_EQ(includes[1].header, "b/c.h");
  EXPECT_TRUE(includes[1].quoted);
}

}  // namespace
}  // namespace slipstream
