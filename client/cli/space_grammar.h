// The short form in which people type parameters:
//
//   lr=double:1e-5..1:log;default=0.01
//   layers=integer:1..8
//   batch=discrete:16,32,64
//   kernel=categorical:rbf,poly
//   degree=integer:2..5;when=kernel:poly
//   bias=boolean
#ifndef SLIPSTREAM_CLIENT_CLI_SPACE_GRAMMAR_H_
#define SLIPSTREAM_CLIENT_CLI_SPACE_GRAMMAR_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "slipstream/v1/space.pb.h"

namespace slipstream::cli {

// The grammar, for the help texts.
extern const char kParameterGrammar[];

// The space whose parameters are `texts`, in that order. A usage error names
// the text and the part of it that cannot be read; whether the space is legal
// is for the server to say.
absl::StatusOr<v1::SearchSpace> ParseSpace(const std::vector<std::string>& texts);

// The short form of one parameter, which ParseSpace reads back.
std::string FormatParameter(const v1::Parameter& parameter);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_SPACE_GRAMMAR_H_
