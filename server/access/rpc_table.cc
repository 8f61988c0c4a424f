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
      {Rpc::kCreateStudy, "CreateStudy", kChanges, kEnds, kThoseWhoTrain},
      {Rpc::kGetStudy, "GetStudy", kReads, kEnds, kEverybody},
      {Rpc::kListStudies, "ListStudies", kReads, kEnds, kEverybody},
      {Rpc::kUpdateStudy, "UpdateStudy", kChanges, kEnds, kOperators},
      {Rpc::kDeleteStudy, "DeleteStudy", kChanges, kEnds, kOperators},
      {Rpc::kExportStudy, "ExportStudy", kReads, kLasts, kEverybody},
      {Rpc::kImportStudy, "ImportStudy", kChanges, kEnds, kOperators},
      {Rpc::kSuggest, "Suggest", kChanges, kEnds, kThoseWhoTrain},
      {Rpc::kHeartbeat, "Heartbeat", kChanges, kEnds, kThoseWhoTrain},
      {Rpc::kReleaseTrials, "ReleaseTrials", kChanges, kEnds, kThoseWhoTrain},
      {Rpc::kReport, "Report", kChanges, kEnds, kThoseWhoTrain},
      {Rpc::kListReports, "ListReports", kReads, kEnds, kEverybody},
      {Rpc::kShouldStop, "ShouldStop", kReads, kEnds, kThoseWhoTrain},
      {Rpc::kObserve, "Observe", kChanges, kEnds, kThoseWhoTrain},
      {Rpc::kUpdateTrial, "UpdateTrial", kChanges, kEnds, kThoseWhoTrain},
      {Rpc::kAddTrials, "AddTrials", kChanges, kEnds, kThoseWhoTrain},
      {Rpc::kGetTrial, "GetTrial", kReads, kEnds, kEverybody},
      {Rpc::kListTrials, "ListTrials", kReads, kEnds, kEverybody},
      {Rpc::kBestTrials, "BestTrials", kReads, kEnds, kEverybody},
      {Rpc::kExplain, "Explain", kReads, kEnds, kEverybody},
      {Rpc::kWatchStudy, "WatchStudy", kReads, kLasts, kEverybody},
      {Rpc::kWatchStudies, "WatchStudies", kReads, kLasts, kEverybody},
      {Rpc::kListPresets, "ListPresets", kReads, kEnds, kEverybody},
      {Rpc::kRegisterSourceTask, "RegisterSourceTask", kChanges, kEnds, kThoseWhoRegister},
      {Rpc::kGetSourceTask, "GetSourceTask", kReads, kEnds, kEverybody},
      {Rpc::kListSourceTasks, "ListSourceTasks", kReads, kEnds, kEverybody},
      {Rpc::kDeleteSourceTask, "DeleteSourceTask", kChanges, kEnds, kOperators},
      {Rpc::kGetServerStatus, "GetServerStatus", kReads, kEnds, kOperators},
      {Rpc::kBackupStore, "BackupStore", kReads, kEnds, kAdminsAlone},
  }};
  return kTable;
}

}  // namespace slipstream
