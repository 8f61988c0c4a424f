#include "tests/e2e/histories/study_machine.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace slipstream::histories {
namespace {

bool HasResult(State state) {
  return state == v1::Trial::SUCCEEDED || state == v1::Trial::INFEASIBLE ||
         state == v1::Trial::STOPPED;
}

bool HasAnswer(const Call& call, Answer answer) { return call.IsLost() || call.answer == answer; }

}  // namespace

bool StudyMachine::Do(const Call& call) {
  changed_ = false;
  switch (call.verb) {
    case Verb::kSuggest:
      return Suggest(call);
    case Verb::kObserve:
      return Observe(call);
    case Verb::kHeartbeat:
      return Heartbeat(call);
    case Verb::kRelease:
      return Release(call);
    case Verb::kReport:
      return Report(call);
    case Verb::kUpdate:
      return Update(call);
    case Verb::kAdd:
      return Add(call);
    case Verb::kGet:
      return Get(call);
    case Verb::kList:
      return List(call);
    case Verb::kLeaseEnd:
      return LeaseEnd(call);
  }
  return false;
}

// A worker gets what it holds, then what is queued, then new trials; lower numbers first.
bool StudyMachine::Suggest(const Call& call) {
  const auto wanted = static_cast<size_t>(call.count);
  std::vector<int64_t> given = NumbersHeldBy(call.worker);
  if (given.size() > wanted) given.resize(wanted);
  for (int64_t number = 1; Exists(number) && given.size() < wanted; ++number) {
    if (At(number).state == v1::Trial::REQUESTED) given.push_back(number);
  }
  while (given.size() < wanted) given.push_back(Append({}));
  for (const int64_t number : given) {
    Trial& trial = At(number);
    changed_ = changed_ || trial.state != v1::Trial::ACTIVE;
    trial.state = v1::Trial::ACTIVE;
    trial.worker = call.worker;
  }
  std::sort(given.begin(), given.end());
  return Shows(call, given);
}

bool StudyMachine::Observe(const Call& call) {
  const int64_t number = call.numbers.front();
  if (!Exists(number)) return HasAnswer(call, Answer::kNotFound);
  Trial& trial = At(number);
  const bool open = trial.state == v1::Trial::ACTIVE || trial.state == v1::Trial::STALE;
  if (!open) {
    const bool same = trial.state == *call.outcome && trial.objective == call.value;
    return same ? Shows(call, {number}) : HasAnswer(call, Answer::kRefused);
  }
  changed_ = true;
  const bool late = trial.state == v1::Trial::STALE;
  trial.state = *call.outcome;
  trial.objective = call.value;
  if (late && HasResult(trial.state)) {
    int64_t last = number;
    while (At(last).next != 0) last = At(last).next;
    if (At(last).state == v1::Trial::REQUESTED) At(last).state = v1::Trial::WITHDRAWN;
  }
  return Shows(call, {number});
}

bool StudyMachine::Heartbeat(const Call& call) {
  std::vector<int64_t> numbers = call.numbers;
  if (numbers.empty()) numbers = NumbersHeldBy(call.worker);
  for (const int64_t number : numbers) {
    if (!Exists(number)) return HasAnswer(call, Answer::kNotFound);
  }
  std::vector<bool> held;
  for (const int64_t number : numbers) {
    const Trial& trial = At(number);
    held.push_back(trial.state == v1::Trial::ACTIVE && trial.worker == call.worker);
  }
  if (call.IsLost()) return true;
  if (call.answer != Answer::kGiven || call.trials.size() != numbers.size()) return false;
  for (size_t i = 0; i < numbers.size(); ++i) {
    const TrialSight& sight = call.trials[i];
    if (sight.number != numbers[i] || sight.state != At(numbers[i]).state) return false;
  }
  return held == call.held;
}

bool StudyMachine::Release(const Call& call) {
  std::vector<int64_t> numbers = call.numbers;
  if (numbers.empty()) numbers = NumbersHeldBy(call.worker);
  for (const int64_t number : numbers) {
    if (!Exists(number)) return HasAnswer(call, Answer::kNotFound);
  }
  for (const int64_t number : numbers) {
    const Trial& trial = At(number);
    const bool held =
        trial.state == v1::Trial::ACTIVE && (call.worker.empty() || trial.worker == call.worker);
    if (!held) return HasAnswer(call, Answer::kRefused);
  }
  for (const int64_t number : numbers) GiveBack(At(number));
  return Shows(call, numbers);
}

void StudyMachine::GiveBack(Trial& trial) {
  changed_ = true;
  if (ChainHasResult(trial.first)) {
    trial.state = v1::Trial::WITHDRAWN;
    return;
  }
  trial.state = v1::Trial::REQUESTED;
  trial.worker.clear();
  trial.reports.clear();
}

bool StudyMachine::Report(const Call& call) {
  const int64_t number = call.numbers.front();
  if (!Exists(number)) return HasAnswer(call, Answer::kNotFound);
  Trial& trial = At(number);
  if (trial.state != v1::Trial::ACTIVE && trial.state != v1::Trial::STALE) {
    return HasAnswer(call, Answer::kRefused);
  }
  const auto [report, is_new] = trial.reports.emplace(call.step, *call.value);
  changed_ = is_new || report->second != *call.value;
  report->second = *call.value;
  if (call.IsLost()) return true;
  return call.answer == Answer::kGiven && call.trials.front().state == trial.state &&
         call.trials.front().report_count == static_cast<int64_t>(trial.reports.size());
}

bool StudyMachine::Update(const Call& call) {
  const int64_t number = call.numbers.front();
  if (!Exists(number)) return HasAnswer(call, Answer::kNotFound);
  changed_ = At(number).note != call.note;
  At(number).note = call.note;
  return Shows(call, {number});
}

bool StudyMachine::Add(const Call& call) {
  Trial added;
  if (call.outcome.has_value()) {
    added.state = *call.outcome;
    added.objective = call.value;
  }
  const int64_t number = Append(std::move(added));
  return MayBe(number, call.configuration) && Shows(call, {number});
}

bool StudyMachine::Get(const Call& call) const {
  if (!Exists(call.numbers.front())) return HasAnswer(call, Answer::kNotFound);
  return Shows(call, call.numbers);
}

bool StudyMachine::List(const Call& call) const {
  std::vector<int64_t> all;
  for (int64_t number = 1; Exists(number); ++number) all.push_back(number);
  return Shows(call, all);
}

bool StudyMachine::LeaseEnd(const Call& call) {
  const int64_t number = call.numbers.front();
  if (!Exists(number)) return false;
  Trial& trial = At(number);
  if (trial.state != v1::Trial::ACTIVE) return false;
  changed_ = true;
  trial.state = v1::Trial::STALE;
  if (trial.place >= policy_.max_requeues || ChainHasResult(trial.first)) return true;
  Trial repeat;
  repeat.first = trial.first;
  repeat.place = trial.place + 1;
  repeat.note = trial.note;
  const int64_t next = Append(std::move(repeat));
  At(number).next = next;
  const auto known = configurations_->find(number);
  return known == configurations_->end() || MayBe(next, known->second);
}

int64_t StudyMachine::Append(Trial trial) {
  changed_ = true;
  const auto number = static_cast<int64_t>(trials_.size()) + 1;
  if (trial.first == 0) trial.first = number;
  trials_.push_back(std::move(trial));
  return number;
}

bool StudyMachine::ChainHasResult(int64_t first) const {
  for (int64_t number = first; number != 0; number = At(number).next) {
    if (HasResult(At(number).state)) return true;
  }
  return false;
}

std::vector<int64_t> StudyMachine::NumbersHeldBy(const std::string& worker) const {
  std::vector<int64_t> numbers;
  for (int64_t number = 1; Exists(number); ++number) {
    if (At(number).state == v1::Trial::ACTIVE && At(number).worker == worker) {
      numbers.push_back(number);
    }
  }
  return numbers;
}

bool StudyMachine::Shows(const Call& call, const std::vector<int64_t>& numbers) const {
  if (call.IsLost()) return true;
  if (call.answer != Answer::kGiven || call.trials.size() != numbers.size()) return false;
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (call.trials[i].number != numbers[i] || !Shows(call.trials[i])) return false;
  }
  return true;
}

bool StudyMachine::Shows(const TrialSight& sight) const {
  const Trial& trial = At(sight.number);
  const bool reported = !trial.reports.empty();
  const bool is_over = trial.state != v1::Trial::REQUESTED && trial.state != v1::Trial::ACTIVE;
  return sight.has_end.value_or(is_over) == is_over && sight.state == trial.state &&
         sight.worker == trial.worker &&
         sight.objective == trial.objective && sight.next == trial.next &&
         sight.first == (trial.first == sight.number ? 0 : trial.first) &&
         sight.report_count == static_cast<int64_t>(trial.reports.size()) &&
         (!reported || (sight.last_step == trial.reports.rbegin()->first &&
                        sight.last_value == trial.reports.rbegin()->second)) &&
         sight.note.value_or(trial.note) == trial.note;
}

bool StudyMachine::MayBe(int64_t number, const std::string& configuration) const {
  const auto known = configurations_->find(number);
  return known == configurations_->end() || known->second == configuration;
}

std::string StudyMachine::Key() const {
  std::string key;
  for (const Trial& trial : trials_) {
    absl::StrAppend(&key, static_cast<int>(trial.state), ",", trial.worker, ",", trial.first, ",",
                    trial.next, ",", trial.note, ",");
    if (trial.objective.has_value()) absl::StrAppend(&key, *trial.objective);
    for (const auto& [step, value] : trial.reports) absl::StrAppend(&key, ",", step, ":", value);
    key += ';';
  }
  return key;
}

std::string StudyMachine::Text() const {
  std::string text;
  for (int64_t number = 1; Exists(number); ++number) {
    const Trial& trial = At(number);
    absl::StrAppend(&text, "  #", number, " ", v1::Trial::State_Name(trial.state), " by '",
                    trial.worker, "', ", trial.reports.size(), " reports, first ", trial.first,
                    ", next ", trial.next, ", '", trial.note, "'");
    if (trial.objective.has_value()) absl::StrAppend(&text, ", gave ", *trial.objective);
    text += '\n';
  }
  return text;
}

}  // namespace slipstream::histories
