#include "tests/core/recording/recorded_study.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/base/counter_random.h"
#include "core/base/deadline.h"
#include "core/space/branches.h"
#include "gtest/gtest.h"
#include "tests/core/strategy/study_fixtures.h"

namespace slipstream {
namespace {

constexpr uint64_t kSeed = 23;
constexpr int kInitialResults = 7;
constexpr int kInitialResultsMixed = 10;  // Without sources models are asked later there.
constexpr int kModelSuggestions = 3;

std::string Number(double value) { return absl::StrFormat("%a", value); }

std::string TextOf(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::kInactive:
      return "-";
    case Value::Kind::kDouble:
      return Number(value.number());
    case Value::Kind::kBoolean:
      return value.boolean() ? "true" : "false";
    case Value::Kind::kInteger:
    case Value::Kind::kLevel:
      return absl::StrCat(value.integer());
  }
  return "?";
}

std::string TextOf(const Fact& fact) {
  const double* const number = std::get_if<double>(&fact.value);
  return absl::StrCat(fact.name, "=",
                      number != nullptr ? Number(*number) : std::get<std::string>(fact.value));
}

std::string TextOf(const Provenance& provenance) {
  std::string text = absl::StrCat(
      provenance.preset, " seed=", provenance.seed, " seen=", provenance.last_trial_seen,
      " rung=", static_cast<int>(provenance.rung), " ", provenance.rung_reason);
  for (const SourceWeight& source : provenance.sources) {
    absl::StrAppend(&text, "; ", source.source, ":", Number(source.weight));
  }
  for (const Fact& fact : provenance.facts) {
    // The recording is of one instruction set, and the test says which. The chance of a value is a
    // part of the acquisition's.
    if (fact.name == "instruction_set" || fact.name == "chance_of_value") continue;
    absl::StrAppend(&text, "; ", TextOf(fact));
  }
  for (const Note& note : provenance.notes) {
    absl::StrAppend(&text, "; note ", note.name);
    for (double value : note.values) absl::StrAppend(&text, " ", Number(value));
  }
  return text;
}

uint64_t DigestOf(const std::string& text) {
  uint64_t digest = text.size();
  for (const char letter : text) {
    digest = CounterRandomBits(digest, static_cast<unsigned char>(letter), 1);
  }
  return digest;
}

std::string LineOf(const std::string& name, const Suggestion& suggestion) {
  std::string line = absl::StrCat(name, " rung=", static_cast<int>(suggestion.provenance.rung));
  for (const Value& value : suggestion.configuration.values) {
    absl::StrAppend(&line, " ", TextOf(value));
  }
  for (const char* fact : {"predicted_mean", "predicted_deviation", "acquisition_value"}) {
    if (HasFact(suggestion, fact)) {
      absl::StrAppend(&line, " ", fact, "=", Number(NumberFact(suggestion, fact)));
    }
  }
  return absl::StrCat(line, " digest=", absl::Hex(DigestOf(TextOf(suggestion.provenance))));
}

struct Recorded {
  std::vector<std::string> lines;
  std::vector<std::string> provenances;
};

// One study, of which the suggestions that matter are recorded.
class RecordedStudy {
 public:
  RecordedStudy(const Strategy& strategy, const std::string& name,
                const std::shared_ptr<const SearchSpace>& space, bool with_sources, Recorded& out)
      : strategy_(strategy), name_(name), study_(space), out_(out) {
    if (with_sources) {
      study_.sources = {SourceOn(space, "near", 0.02), SourceOn(space, "far", 0.4)};
    }
  }

  void Run() {
    Record(Ask(1));
    study_.Lease(Ask(1));  // It stays pending to the end.
    const bool is_asked_later = IsMixed(*study_.space) && study_.sources.empty();
    const int initial = is_asked_later ? kInitialResultsMixed : kInitialResults;
    for (int i = 0; i < initial; ++i) MeasureAnother(i);
    for (int i = 0; i < kModelSuggestions; ++i) {
      Record(Ask(1));
      MeasureAnother(initial + i);
    }
    Record(Ask(2));
  }

 private:
  std::vector<Suggestion> Ask(int count) {
    auto suggestions = strategy_.Suggest(study_.view(), count, kSeed, Deadline::Infinite());
    EXPECT_TRUE(suggestions.ok()) << suggestions.status();
    return suggestions.ok() ? *std::move(suggestions) : std::vector<Suggestion>();
  }

  void Record(const std::vector<Suggestion>& suggestions) {
    for (const Suggestion& suggestion : suggestions) {
      out_.lines.push_back(LineOf(name_, suggestion));
      out_.provenances.push_back(
          absl::StrCat(out_.lines.back(), "\n    ", TextOf(suggestion.provenance)));
    }
  }

  // The third trial has no value and the fifth breaks.
  void MeasureAnother(int place) {
    study_.Lease(Ask(1));
    const size_t last = study_.open.size() - 1;
    if (place == 2) return study_.EndAt(last, Ending::kInfeasible);
    if (place == 4) return study_.EndAt(last, Ending::kFailed);
    const Configuration configuration = study_.open[last].configuration;
    study_.EndAt(last, Ending::kMeasured, BowlValueAt(*study_.space, configuration, 0));
  }

  const Strategy& strategy_;
  std::string name_;
  FakeStudy study_;
  Recorded& out_;
};

Recorded RecordAll(const Strategy& strategy) {
  Recorded recorded;
  const std::pair<const char*, std::shared_ptr<const SearchSpace>> spaces[] = {
      {"continuous", SquareSpace()}, {"mixed", MixedSpace()}, {"candidates", LineOfCandidates(40)}};
  for (const auto& [name, space] : spaces) {
    RecordedStudy(strategy, absl::StrCat(name, " without"), space, false, recorded).Run();
    RecordedStudy(strategy, absl::StrCat(name, " with"), space, true, recorded).Run();
  }
  return recorded;
}

}  // namespace

std::vector<std::string> Record(const Strategy& strategy) { return RecordAll(strategy).lines; }

std::vector<std::string> Explain(const Strategy& strategy) {
  return RecordAll(strategy).provenances;
}

}  // namespace slipstream
