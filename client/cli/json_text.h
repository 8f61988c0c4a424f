// Messages as JSON in protobuf's mapping, with camelCase names.
#ifndef SLIPSTREAM_CLIENT_CLI_JSON_TEXT_H_
#define SLIPSTREAM_CLIENT_CLI_JSON_TEXT_H_

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "google/protobuf/message.h"

namespace slipstream::cli {

// The message itself, for what is written with more than its fields.
nlohmann::ordered_json JsonOf(const google::protobuf::Message& message);
// One indented document with a line end.
std::string JsonDocument(const nlohmann::ordered_json& json);

// The document of one message. Fields with default values are written
// too, so that every document has the same keys.
std::string JsonText(const google::protobuf::Message& message);
// The same on one line.
std::string JsonLine(const google::protobuf::Message& message);
// Equal messages have equal bytes, which include fields that this program does not know.
std::string StableBytes(const google::protobuf::Message& message);
// On one line too, without fields that have default values; equal messages have equal lines.
std::string StableJsonLine(const google::protobuf::Message& message);
// An array of such documents.
std::string JsonArray(const std::vector<const google::protobuf::Message*>& messages);

template <typename Messages>
std::string JsonArrayOf(const Messages& messages) {
  std::vector<const google::protobuf::Message*> pointers;
  for (const auto& message : messages) pointers.push_back(&message);
  return JsonArray(pointers);
}

// INVALID_ARGUMENT if `text` is not JSON of this message.
absl::Status ParseJson(const std::string& text, google::protobuf::Message* message);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_JSON_TEXT_H_
