// What core's shared libraries show of themselves, and what programs take.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tests/core/two_builds/command.h"

namespace slipstream::two_builds {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

std::vector<std::string> Libraries() { return absl::StrSplit(SLIPSTREAM_LIBRARIES, ':'); }
std::vector<std::string> Programs() { return absl::StrSplit(SLIPSTREAM_PROGRAMS, ':'); }

// Name and kind of each symbol in the table that the loader reads.
std::vector<std::pair<std::string, char>> DynamicSymbols(const std::string& option,
                                                         const std::string& file) {
  std::vector<std::pair<std::string, char>> symbols;
  for (const std::string& line :
       LinesOf({SLIPSTREAM_NM, "--dynamic", "--format=posix", option, file})) {
    const std::vector<std::string> fields = absl::StrSplit(line, ' ');
    symbols.emplace_back(fields.at(0).substr(0, fields[0].find('@')), fields.at(1).at(0));
  }
  return symbols;
}

std::vector<std::string> DynamicEntries(const std::string& name, const std::string& file) {
  std::vector<std::string> entries;
  for (const std::string& line : LinesOf({SLIPSTREAM_READELF, "--dynamic", "--wide", file})) {
    if (!absl::StrContains(line, absl::StrCat("(", name, ")"))) continue;
    const size_t begin = line.find('[') + 1;
    entries.push_back(line.substr(begin, line.find(']') - begin));
  }
  return entries;
}

// Whether a mangled name is that of an entity of namespace slipstream, or of
// something the compiler made for one.
bool IsOurs(std::string_view symbol) {
  if (!symbol.starts_with("_Z")) return false;
  symbol.remove_prefix(2);
  for (std::string_view thunk : {"Th", "Tv", "Tc"}) {
    if (!symbol.starts_with(thunk)) continue;
    symbol.remove_prefix(std::min(symbol.find_first_of('N'), symbol.size()));
  }
  for (const char* made : {"", "Z", "GR", "GV", "GVZ", "TC", "TH", "TI", "TS", "TT", "TV", "TW"}) {
    for (const char* qualifier : {"", "K", "R", "KR", "O", "KO"}) {
      if (symbol.starts_with(absl::StrCat(made, "N", qualifier, "10slipstream").c_str()))
        return true;
    }
  }
  return false;
}

TEST(Symbols, LibrariesExportNothingForeign) {
  for (const std::string& library : Libraries()) {
    std::vector<std::string> foreign;
    const auto symbols = DynamicSymbols("--defined-only", library);
    for (const auto& [name, kind] : symbols) {
      if (!IsOurs(name)) foreign.push_back(name);
    }
    EXPECT_THAT(symbols, Not(IsEmpty())) << library;
    EXPECT_THAT(foreign, IsEmpty()) << library;
  }
}

// The symbols that the loader looks up for a file, its own among them where
// others may replace those.
std::set<std::string> SymbolsLookedUp(const std::string& file) {
  std::set<std::string> symbols;
  for (const std::string& line : LinesOf({SLIPSTREAM_READELF, "--relocs", "--wide", file})) {
    // Offset, information, type, the symbol's value, its name, what is added.
    const std::vector<std::string> fields = absl::StrSplit(line, ' ', absl::SkipEmpty());
    if (fields.size() < 5 || !absl::StrContains(fields[2], "R_")) continue;
    symbols.insert(fields[4].substr(0, fields[4].find('@')));
  }
  return symbols;
}

// Types and constants that other libraries define may well be taken from a
// program, as the loader arranges; code must not be.
TEST(Symbols, LibrariesRunNoCodeOfAProgram) {
  for (const std::string& program : Programs()) {
    std::set<std::string> offered;
    for (const auto& [name, kind] : DynamicSymbols("--defined-only", program)) {
      if (kind == 'T' || kind == 'W' || kind == 'i') offered.insert(name);
    }
    ASSERT_THAT(offered, Not(IsEmpty())) << program;
    for (const std::string& library : Libraries()) {
      std::vector<std::string> taken;
      for (const std::string& name : SymbolsLookedUp(library)) {
        if (offered.contains(name)) taken.push_back(name);
      }
      EXPECT_THAT(taken, IsEmpty()) << library << " would take from " << program;
    }
  }
}

// Inline functions may be left out where all calls were inlined.
std::set<std::string> ExportedButInline(const std::string& library) {
  std::set<std::string> names;
  for (const auto& [name, kind] : DynamicSymbols("--defined-only", library)) {
    if (kind != 'W' && kind != 'V' && kind != 'u') names.insert(name);
  }
  return names;
}

TEST(Symbols, BothBuildsHaveOneNameAndExportTheSame) {
  const std::vector<std::string> libraries = Libraries();
  for (size_t i = 0; SLIPSTREAM_TWO_BUILDS && i + 1 < libraries.size(); i += 2) {
    EXPECT_EQ(DynamicEntries("SONAME", libraries[i]), DynamicEntries("SONAME", libraries[i + 1]));
    EXPECT_EQ(ExportedButInline(libraries[i]), ExportedButInline(libraries[i + 1]));
  }
}

TEST(Symbols, ProgramsFindCoreFromWhereTheyAre) {
  for (const std::string& program : Programs()) {
    EXPECT_THAT(DynamicEntries("NEEDED", program), Contains(StartsWith("libslipstream_")))
        << program;
    EXPECT_THAT(DynamicEntries("RUNPATH", program),
                AllOf(SizeIs(1), Each(HasSubstr("$ORIGIN/")), Each(Not(HasSubstr(":/")))))
        << program;
  }
}

}  // namespace
}  // namespace slipstream::two_builds
