// Knows what has to be stored, by the answers that a client got, and tells how what is stored
// differs from that.
#ifndef SLIPSTREAM_TESTS_E2E_KILLS_KNOWN_STORE_H_
#define SLIPSTREAM_TESTS_E2E_KILLS_KNOWN_STORE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "slipstream/v1/services.grpc.pb.h"

namespace slipstream::kills {

struct KnownTrial {
  v1::Trial trial;
  std::map<int64_t, double> reports;
  // Whether the server suggested it, so that it has a provenance; and which one, once asked.
  bool suggested = false;
  std::optional<v1::Provenance> provenance;
};

struct KnownStudy {
  v1::Study study;
  std::map<int64_t, KnownTrial> trials;

  // Takes a trial from an answer that leaves out what the client knows.
  void Take(const v1::Trial& trial);
  std::vector<int64_t> Active() const;
};

struct KnownSource {
  v1::SourceTask source;
  bool deleted = false;
};

int64_t NumberOf(const v1::Trial& trial);

// Each a sentence.
using Differences = std::vector<std::string>;

// All trials of a study by number; absent if they cannot be listed.
std::optional<std::map<int64_t, v1::Trial>> TrialsOf(v1::OptimizationService::Stub& stub,
                                                     const std::string& study);
// Appends how a trial differs from what is known of it, but for the end of its lease.
void CompareTrial(const v1::Trial& known, const v1::Trial& stored, Differences* differences);
// The same of a study whose trials are all known, and of their reports and provenances. Notes the
// provenances that it meets for the first time. Returns how many it compared with known ones.
int64_t CompareStudy(v1::OptimizationService::Stub& stub, KnownStudy* known,
                     Differences* differences);
// Whether the provenance was known before.
bool CompareProvenance(v1::OptimizationService::Stub& stub, KnownTrial* known,
                       Differences* differences);
void CompareReports(v1::OptimizationService::Stub& stub, const KnownTrial& known,
                    Differences* differences);
void CompareSource(v1::OptimizationService::Stub& stub, const KnownSource& known,
                   Differences* differences);
// A study that was deleted must not be there.
void CompareDeleted(v1::OptimizationService::Stub& stub, const std::string& study,
                    Differences* differences);

}  // namespace slipstream::kills

#endif  // SLIPSTREAM_TESTS_E2E_KILLS_KNOWN_STORE_H_
