// A reference for what calls on one study may be answered, written down as simply as
// possible: a list of trials, and what each call does to them. Calls happen one after
// the other, and leases end whenever they are said to; Linearization looks for an order in which
// their answers are the machine's.
#ifndef SLIPSTREAM_TESTS_E2E_HISTORIES_STUDY_MACHINE_H_
#define SLIPSTREAM_TESTS_E2E_HISTORIES_STUDY_MACHINE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/e2e/histories/call.h"

namespace slipstream::histories {

// The study's lease policy.
struct Policy {
  int64_t lease_us = 1'000'000;
  int64_t max_requeues = 3;
};

// The configurations by the trials' numbers, as far as any answer shows them.
using Configurations = std::map<int64_t, std::string>;

class StudyMachine {
 public:
  // `configurations` must outlive the machine and its copies.
  StudyMachine(Policy policy, const Configurations* configurations)
      : policy_(policy), configurations_(configurations) {}

  // Does `call` now. Whether its answer is what it then has to be; if not, the machine
  // is of no more use. An answer that was lost may be any.
  bool Do(const Call& call);

  // Whether the last call changed the state.
  bool changed() const { return changed_; }

  // The same for machines in the same state, and different for others.
  std::string Key() const;
  // The state for people to read.
  std::string Text() const;

 private:
  struct Trial {
    State state = v1::Trial::REQUESTED;
    std::string worker;
    std::optional<double> objective;
    int64_t first = 0;  // In its chain, perhaps itself.
    int64_t next = 0;   // In its chain; 0: none.
    int64_t place = 0;  // In its chain, from 0.
    std::map<int64_t, double> reports;
    std::string note;
  };

  bool Suggest(const Call& call);
  bool Observe(const Call& call);
  bool Heartbeat(const Call& call);
  bool Release(const Call& call);
  bool Report(const Call& call);
  bool Update(const Call& call);
  bool Add(const Call& call);
  bool Get(const Call& call) const;
  bool List(const Call& call) const;
  bool LeaseEnd(const Call& call);

  bool Exists(int64_t number) const {
    return number >= 1 && number <= static_cast<int64_t>(trials_.size());
  }
  Trial& At(int64_t number) { return trials_[static_cast<size_t>(number - 1)]; }
  const Trial& At(int64_t number) const { return trials_[static_cast<size_t>(number - 1)]; }
  int64_t Append(Trial trial);
  void GiveBack(Trial& trial);
  bool ChainHasResult(int64_t first) const;
  std::vector<int64_t> NumbersHeldBy(const std::string& worker) const;
  // Whether the call may be answered with exactly these trials as they now are.
  bool Shows(const Call& call, const std::vector<int64_t>& numbers) const;
  bool Shows(const TrialSight& sight) const;
  bool MayBe(int64_t number, const std::string& configuration) const;

  Policy policy_;
  const Configurations* configurations_;
  std::vector<Trial> trials_;
  bool changed_ = false;
};

}  // namespace slipstream::histories

#endif  // SLIPSTREAM_TESTS_E2E_HISTORIES_STUDY_MACHINE_H_
