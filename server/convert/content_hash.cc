#include "server/convert/content_hash.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <new>
#include <numeric>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"

namespace slipstream {
namespace {

constexpr size_t kFingerprintBytes = 16;
constexpr size_t kContentIdDigits = 32;

// OpenSSL's SHA256 looks the algorithm up in each call, which takes longer than a request's hash.
std::string Sha256(absl::string_view bytes) {
  static const EVP_MD* const kFetched = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  const EVP_MD* const algorithm = kFetched != nullptr ? kFetched : EVP_sha256();
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned int size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, algorithm, nullptr) != 1) {
    throw std::bad_alloc();  // It fails only without memory.
  }
  return std::string(digest.begin(), digest.begin() + size);
}

// Appends the length first, so that different lists of parts never look the same.
void AppendPart(absl::string_view part, std::string* out) {
  absl::StrAppend(out, part.size(), ":", part);
}

// Appends the message's DeterministicBytes.
void AppendBytes(const google::protobuf::Message& message, std::string* out) {
  const size_t begin = out->size();
  const size_t size = message.ByteSizeLong();
  out->resize(begin + size);
  google::protobuf::io::ArrayOutputStream stream(out->data() + begin, static_cast<int>(size));
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  message.SerializeWithCachedSizes(&coded);
}

}  // namespace

std::string HexSha256(absl::string_view bytes) { return absl::BytesToHexString(Sha256(bytes)); }

std::string DeterministicBytes(const google::protobuf::Message& message) {
  std::string bytes;
  AppendBytes(message, &bytes);
  return bytes;
}

std::string RequestFingerprint(absl::string_view method,
                               const google::protobuf::Message& request) {
  std::string content;
  AppendPart(method, &content);
  AppendBytes(request, &content);
  return Sha256(content).substr(0, kFingerprintBytes);
}

std::string ContentId(absl::string_view header, const std::vector<std::string>& rows) {
  std::vector<size_t> order(rows.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return rows[a] < rows[b]; });
  std::string content;
  AppendPart(header, &content);
  for (const size_t row : order) AppendPart(rows[row], &content);
  return HexSha256(content).substr(0, kContentIdDigits);
}

}  // namespace slipstream
