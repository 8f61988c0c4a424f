// How often each kind of thing happened to each study and trial.
#ifndef SLIPSTREAM_TESTS_E2E_KILLS_EVENT_TALLY_H_
#define SLIPSTREAM_TESTS_E2E_KILLS_EVENT_TALLY_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "slipstream/v1/services.pb.h"

namespace slipstream::kills {

class EventTally {
 public:
  using Kind = v1::StudyEvent::Kind;

  void Add(const std::string& study, const std::string& trial, Kind kind, int64_t times = 1);
  void Add(const EventTally& other);
  void Forget(const std::string& study) { counts_.erase(study); }
  int64_t CountOf(const std::string& study, Kind kind) const;

  // How the events that were told of a study differ from these, which were expected; each
  // a sentence. Reports may be told more often, as their calls have no request id.
  std::vector<std::string> Differences(const std::string& study, const EventTally& told) const;

 private:
  using Key = std::pair<std::string, Kind>;  // The trial's name, empty for the study's own.

  int64_t CountAt(const std::string& study, const Key& key) const;

  std::map<std::string, std::map<Key, int64_t>> counts_;
};

}  // namespace slipstream::kills

#endif  // SLIPSTREAM_TESTS_E2E_KILLS_EVENT_TALLY_H_
