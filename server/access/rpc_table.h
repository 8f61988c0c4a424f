// What the server knows of each RPC before it looks at the request: its name, whether it changes
// anything, and whom it is for. rpc_list.inc has a line for each.
#ifndef SLIPSTREAM_SERVER_ACCESS_RPC_TABLE_H_
#define SLIPSTREAM_SERVER_ACCESS_RPC_TABLE_H_

#include <array>
#include <cstddef>

#include "absl/strings/string_view.h"
#include "server/access/role.h"

namespace slipstream {

// kCreateStudy and so on.
enum class Rpc {
#define SLIPSTREAM_SERVED_RPC(name, service, changes, roles) k##name,
#define SLIPSTREAM_OWN_RPC(name, changes, lasts, roles) k##name,
#include "server/access/rpc_list.inc"
};

inline constexpr size_t kRpcCount = 0
#define SLIPSTREAM_SERVED_RPC(name, service, changes, roles) +1
#define SLIPSTREAM_OWN_RPC(name, changes, lasts, roles) +1
#include "server/access/rpc_list.inc"
    ;

struct RpcEntry {
  Rpc rpc;
  absl::string_view name;  // As in OptimizationService.
  bool changes = false;    // Whether it changes what is stored.
  bool lasts = false;      // Whether it goes on for as long as the caller reads.
  RoleSet roles;           // Callers who may make it; kAdmin may call everything.
};

// Whether the audit log records it: changes, and copies of all that is stored.
inline bool IsAudited(const RpcEntry& entry) {
  return entry.changes || entry.rpc == Rpc::kBackupStore;
}

// In the order of Rpc.
const std::array<RpcEntry, kRpcCount>& RpcTable();

inline const RpcEntry& EntryOf(Rpc rpc) { return RpcTable()[static_cast<size_t>(rpc)]; }

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_ACCESS_RPC_TABLE_H_
