#include "client/cli/json_text.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/type_resolver_util.h>

#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace slipstream::cli {

using Json = nlohmann::ordered_json;

namespace {

// The text with "-0.0" for each number "-0", which protobuf writes and which it and others read as
// an integer, that is, as 0.
std::string WithSignsOfZeros(const std::string& text) {
  std::string signed_text;
  char quote = 0;  // The one that began the string here; protobuf takes both kinds.
  for (size_t i = 0; i < text.size(); ++i) {
    signed_text += text[i];
    if (quote != 0) {
      if (text[i] == quote) quote = 0;
      if (text[i] == '\\' && i + 1 < text.size()) signed_text += text[++i];
    } else if (text[i] == '"' || text[i] == '\'') {
      quote = text[i];
    } else if (text[i] == '0' && i > 0 && text[i - 1] == '-' &&
               text.substr(i + 1, 1).find_first_of(".eE0123456789") == std::string::npos) {
      // An exponent of "-0" has a digit or a letter before it.
      const char before = i > 1 ? text[i - 2] : ' ';
      if (before != 'e' && before != 'E') signed_text += ".0";
    }
  }
  return signed_text;
}

}  // namespace

// Cannot fail for our messages: only an Any of an unknown type or a malformed
// Timestamp cannot be written, and the server sends neither.
Json JsonOf(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.always_print_primitive_fields = true;
  std::string text;
  if (!google::protobuf::util::MessageToJsonString(message, &text, options).ok()) return nullptr;
  return Json::parse(WithSignsOfZeros(text), /*cb=*/nullptr, /*allow_exceptions=*/false);
}

std::string JsonDocument(const Json& json) {
  return json.dump(/*indent=*/2, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace) +
         "\n";
}

std::string JsonText(const google::protobuf::Message& message) {
  return JsonDocument(JsonOf(message));
}

std::string JsonLine(const google::protobuf::Message& message) {
  return JsonOf(message).dump(/*indent=*/-1, ' ', /*ensure_ascii=*/false,
                              Json::error_handler_t::replace) +
         "\n";
}

// The entries of maps are sorted.
std::string StableBytes(const google::protobuf::Message& message) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    message.SerializeToCodedStream(&coded);
  }
  return bytes;
}

// The text follows the order of the bytes.
std::string StableJsonLine(const google::protobuf::Message& message) {
  constexpr char kTypes[] = "type.googleapis.com";
  static auto& resolver = *google::protobuf::util::NewTypeResolverForDescriptorPool(
      kTypes, google::protobuf::DescriptorPool::generated_pool());
  const std::string bytes = StableBytes(message);
  std::string text;
  const std::string type = absl::StrCat(kTypes, "/", message.GetDescriptor()->full_name());
  const auto status = google::protobuf::util::BinaryToJsonString(&resolver, type, bytes, &text);
  return status.ok() ? WithSignsOfZeros(text) + "\n" : std::string("null\n");  // See JsonOf.
}

std::string JsonArray(const std::vector<const google::protobuf::Message*>& messages) {
  Json array = Json::array();
  for (const google::protobuf::Message* message : messages) array.push_back(JsonOf(*message));
  return JsonDocument(array);
}

absl::Status ParseJson(const std::string& text, google::protobuf::Message* message) {
  const std::string json(absl::StripPrefix(text, "\xEF\xBB\xBF"));  // A byte order mark.
  const auto status =
      google::protobuf::util::JsonStringToMessage(WithSignsOfZeros(json), message);
  if (status.ok()) return absl::OkStatus();
  // Protobuf quotes what follows the mistake, even if that is nothing.
  const absl::string_view complaint(status.message().data(), status.message().size());
  return absl::InvalidArgumentError(absl::StripSuffix(complaint, "\n\n^"));
}

}  // namespace slipstream::cli
