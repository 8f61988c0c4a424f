#include "tests/e2e/histories/linearization.h"

#include <algorithm>
#include <cstddef>
#include <random>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "tests/e2e/histories/lease_times.h"

namespace slipstream::histories {
namespace {

constexpr size_t kCallsInReasons = 12;
// Whether two concurrent calls happened in this order or that may show only much later, so that a
// search begins anew with other guesses rather than go back all the way.
constexpr int kGuesses = 50;
constexpr int64_t kStepsOfGuess = 4000;

// Those that show a trial with another configuration than the answers before.
std::string ConfigurationsOf(const std::vector<Call>& calls, Configurations& configurations) {
  for (const Call& call : calls) {
    for (const TrialSight& sight : call.trials) {
      if (!sight.configuration.has_value()) continue;
      const auto [known, is_new] = configurations.emplace(sight.number, *sight.configuration);
      if (!is_new && known->second != *sight.configuration) {
        return absl::StrCat("trial ", sight.number, " has two configurations, of which one is in ",
                            call.Text());
      }
    }
  }
  return {};
}

class Search {
 public:
  // Each `guess` tries the calls in another order.
  Search(std::vector<Call> calls, StudyMachine start, int64_t most_steps, unsigned guess)
      : calls_(std::move(calls)), start_(std::move(start)), most_steps_(most_steps) {
    // Lease ends that arrived together stay in their order.
    std::stable_sort(calls_.begin(), calls_.end(),
                     [](const Call& a, const Call& b) { return a.end_us < b.end_us; });
    done_.assign(calls_.size(), '0');
    std::mt19937 random(guess);
    for (const Call& call : calls_) {
      missing_ += call.IsLost() ? 0 : 1;
      moments_.push_back(MomentOf(call, guess, random));
    }
  }

  Verdict Run() {
    const bool found = GoOn(start_);
    Verdict verdict;
    verdict.steps = steps_;
    if (found) return verdict;
    verdict.kind =
        steps_ > most_steps_ ? Verdict::Kind::kUndecided : Verdict::Kind::kNotLinearizable;
    verdict.reason = Reason();
    return verdict;
  }

 private:
  static int64_t MomentOf(const Call& call, unsigned guess, std::mt19937& random) {
    if (call.moment_us.has_value()) return *call.moment_us;
    if (guess == 0 || call.IsLost()) return call.end_us;
    return std::uniform_int_distribution<int64_t>(call.start_us, call.end_us)(random);
  }

  bool IsDone(size_t call) const { return done_[call] != '0'; }
  void Mark(size_t call) {
    done_[call] = '1';
    order_.push_back(call);
    missing_ -= calls_[call].IsLost() ? 0 : 1;
  }
  void Unmark() {
    const size_t call = order_.back();
    order_.pop_back();
    done_[call] = '0';
    missing_ += calls_[call].IsLost() ? 0 : 1;
  }

  // The calls of which any may be next: those that began before any of the others had ended. Calls
  // are tried by the moments at which they are guessed to have happened, and lost ones last.
  std::vector<size_t> NextOnes() const {
    std::vector<size_t> next;
    int64_t first_end = Call::kNever;
    bool lease_end_before = false;
    for (size_t i = 0; i < calls_.size(); ++i) {
      if (IsDone(i)) continue;
      if (first_end == Call::kNever) first_end = calls_[i].end_us;
      if (calls_[i].verb == Verb::kLeaseEnd && std::exchange(lease_end_before, true)) continue;
      if (calls_[i].start_us <= first_end) next.push_back(i);
    }
    std::stable_sort(next.begin(), next.end(),
                     [this](size_t a, size_t b) { return moments_[a] < moments_[b]; });
    return next;
  }

  // Marks the calls without effects that can be next. As they can be done now, nothing is gained by
  // doing them later.
  void TakeReads(const StudyMachine& machine) {
    bool more = true;
    while (std::exchange(more, false)) {
      for (const size_t i : NextOnes()) {
        if (!calls_[i].HasNoEffect()) continue;
        StudyMachine copy = machine;
        if (!copy.Do(calls_[i])) continue;
        Mark(i);
        more = true;
      }
    }
  }

  bool GoOn(const StudyMachine& machine) {
    const size_t depth = order_.size();
    TakeReads(machine);
    if (missing_ == 0) return true;
    bool found = false;
    if (++steps_ <= most_steps_ && seen_.insert(absl::StrCat(done_, machine.Key())).second) {
      const std::vector<size_t> next = NextOnes();
      if (order_.size() > longest_.size()) longest_ = order_;
      for (const Wanted wanted : {Wanted::kUnchanged, Wanted::kAny}) {
        for (const size_t i : next) {
          if (found || steps_ > most_steps_) break;
          found = Try(i, wanted, machine);
        }
      }
    }
    while (!found && order_.size() > depth) Unmark();
    return found;
  }

  // Calls that might have changed something, but do not now and seem not to have, are tried first.
  enum class Wanted { kUnchanged, kAny };
  bool Try(size_t call, Wanted wanted, StudyMachine machine) {
    if (calls_[call].HasNoEffect()) return false;
    const bool seems_pure = !calls_[call].IsLost() && !calls_[call].moment_us.has_value();
    if (wanted == Wanted::kUnchanged && !seems_pure) return false;
    if (!machine.Do(calls_[call])) return false;
    if (wanted == Wanted::kUnchanged && machine.changed()) return false;
    Mark(call);
    if (GoOn(machine)) return true;
    Unmark();
    return false;
  }

  // The longest order, the state after it, and what would have to be next.
  std::string Reason() {
    done_.assign(calls_.size(), '0');
    order_.clear();
    StudyMachine machine = start_;
    std::string text =
        absl::StrCat(longest_.size(), " of ", calls_.size(), " calls in order, last\n");
    for (const size_t i : longest_) {
      machine.Do(calls_[i]);
      Mark(i);
      if (order_.size() + kCallsInReasons <= longest_.size()) continue;
      absl::StrAppend(&text, "  ", calls_[i].Text(), "\n");
    }
    absl::StrAppend(&text, "and then\n", machine.Text(), "but none of these can be next:\n");
    for (const size_t i : NextOnes()) absl::StrAppend(&text, "  ", calls_[i].Text(), "\n");
    return text;
  }

  std::vector<Call> calls_;
  const StudyMachine start_;
  const int64_t most_steps_;
  std::vector<int64_t> moments_;  // By call.
  std::string done_;              // A '1' for each call that is in the order.
  std::vector<size_t> order_;
  int missing_ = 0;  // Calls that were answered and are not in the order.
  absl::flat_hash_set<std::string> seen_;
  int64_t steps_ = 0;
  std::vector<size_t> longest_;
};

}  // namespace

Verdict Linearize(const Policy& policy, const std::vector<Call>& calls, const Outages& outages,
                  int64_t most_steps) {
  Configurations configurations;
  const std::string two = ConfigurationsOf(calls, configurations);
  if (!two.empty()) return {Verdict::Kind::kNotLinearizable, two, 0};
  const std::string early = EarlyLeaseEnd(policy, calls);
  if (!early.empty()) return {Verdict::Kind::kNotLinearizable, early, 0};
  const std::string overdue = OverdueLease(policy, outages, calls);
  if (!overdue.empty()) return {Verdict::Kind::kNotLinearizable, overdue, 0};
  const StudyMachine start(policy, &configurations);
  int64_t steps = 0;
  for (unsigned guess = 0;; ++guess) {
    const int64_t left = most_steps - steps;
    const bool is_last = guess + 1 == kGuesses || left <= kStepsOfGuess;
    Verdict verdict = Search(calls, start, is_last ? left : kStepsOfGuess, guess).Run();
    verdict.steps += std::exchange(steps, steps + verdict.steps);
    if (is_last || verdict.kind != Verdict::Kind::kUndecided) return verdict;
  }
}

}  // namespace slipstream::histories
