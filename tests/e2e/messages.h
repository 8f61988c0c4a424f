// Example studies and short ways to write common requests, in tests.
#ifndef SLIPSTREAM_TESTS_E2E_MESSAGES_H_
#define SLIPSTREAM_TESTS_E2E_MESSAGES_H_

#include <string>
#include <vector>

#include "slipstream/v1/services.pb.h"

namespace slipstream {

// A study that minimises "loss" over lr (double, log, 1e-5 to 1), layers
// (integer, 1 to 8) and kernel (rbf, poly) with degree (2 to 5) for poly.
v1::Study ExampleStudy(const std::string& preset = "quasi_random");
// A study over a list of `candidates` values of x.
v1::Study CandidateStudy(int candidates, const std::string& preset = "quasi_random");

// A legal configuration of ExampleStudy.
v1::Configuration ExampleConfiguration(double lr = 0.01, int layers = 3);
v1::Observation MeasuredObservation(const v1::Configuration& configuration, double loss);
v1::Outcome LossOutcome(double loss);

v1::CreateStudyRequest CreateRequest(const v1::Study& study, const std::string& id,
                                     const std::string& request_id = "");
v1::SuggestRequest AskRequest(const std::string& study, const std::string& worker, int count = 1,
                              const std::string& request_id = "");
v1::ObserveRequest TellRequest(const std::string& trial, const v1::Outcome& outcome,
                               const std::string& request_id = "");

// The lines of an export of `study`, made anew under the name "studies/exported", with these
// trials.
std::vector<v1::ExportLine> LinesOf(v1::Study study, const std::vector<v1::Trial>& trials);

// `trial` as the answer of Observe has it.
v1::Trial WithoutConfiguration(v1::Trial trial);

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_E2E_MESSAGES_H_
