#include "server/access/rpc_table.h"

namespace slipstream {
namespace {

constexpr RoleSet kEverybody = {Role::kTrainer, Role::kOperator, Role::kCi};
constexpr RoleSet kThoseWhoTrain = {Role::kTrainer, Role::kOperator};
constexpr RoleSet kThoseWhoRegister = {Role::kOperator, Role::kCi};
constexpr RoleSet kOperators = {Role::kOperator};
constexpr RoleSet kAdminsAlone = {};

constexpr bool kChanges = true;
constexpr bool kReads = false;
constexpr bool kLasts = true;
constexpr bool kEnds = false;

}  // namespace

const std::array<RpcEntry, kRpcCount>& RpcTable() {
  static constexpr std::array<RpcEntry, kRpcCount> kTable = {{
#define SLIPSTREAM_SERVED_RPC(name, service, changes, roles) \
  {Rpc::k##name, #name, changes, kEnds, roles},
#define SLIPSTREAM_OWN_RPC(name, changes, lasts, roles) \
  {Rpc::k##name, #name, changes, lasts, roles},
#include "server/access/rpc_list.inc"
  }};
  return kTable;
}

}  // namespace slipstream
