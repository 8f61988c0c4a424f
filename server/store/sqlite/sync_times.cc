#include "server/store/sqlite/sync_times.h"

namespace slipstream::sqlite {

SyncTimes::SyncTimes(const std::string& vfs)
    : seconds_(DurationBounds()), layer_("sync-times", vfs, seconds_) {}

}  // namespace slipstream::sqlite
