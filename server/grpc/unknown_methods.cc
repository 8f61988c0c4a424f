#include "server/grpc/unknown_methods.h"

#include <cstddef>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "server/access/rpc_table.h"
#include "server/grpc/status_conversion.h"

namespace slipstream {
namespace {

constexpr char kOwnService[] = "/slipstream.v1.OptimizationService/";

// Of a method's name, which callers choose, so much is repeated.
constexpr size_t kShownBytes = 128;

std::string Shown(absl::string_view method) {
  const bool is_cut = method.size() > kShownBytes;
  return absl::StrCat(absl::CHexEscape(method.substr(0, kShownBytes)), is_cut ? "..." : "");
}

std::string OwnMethods() {
  std::vector<absl::string_view> names;
  for (const RpcEntry& entry : RpcTable()) names.push_back(entry.name);
  return absl::StrJoin(names, ", ");
}

// Answers as soon as it is made.
class Refusal : public grpc::ServerGenericBidiReactor {
 public:
  explicit Refusal(const absl::Status& status) { Finish(ToGrpcStatus(status)); }
  void OnDone() override { delete this; }
};

}  // namespace

grpc::ServerGenericBidiReactor* UnknownMethods::CreateReactor(
    grpc::GenericCallbackServerContext* context) {
  const absl::Status status = UnknownMethod(context->method(), version_);
  if (monitor_ != nullptr) monitor_->CountUnknown(status, context->peer());
  return new Refusal(status);
}

absl::Status UnknownMethod(absl::string_view method, absl::string_view version) {
  const std::string beginning =
      absl::StrCat("this server, version ", version, ", has no method ", Shown(method));
  if (absl::StartsWith(method, kOwnService)) {
    return absl::UnimplementedError(absl::StrCat(
        beginning, ", which a newer one may have; its methods are ", OwnMethods()));
  }
  return absl::UnimplementedError(absl::StrCat(
      beginning, "; its services are slipstream.v1.OptimizationService, grpc.health.v1.Health and "
                 "grpc.reflection.v1alpha.ServerReflection"));
}

}  // namespace slipstream
