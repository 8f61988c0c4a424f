// Measures how long SQLite waits for the disk: a layer over another VFS that takes the time of each
// sync.
//
//   SyncTimes times(/*vfs=*/"");
//   auto connection = Connection::Open(path, flags, times.vfs());
//
// Thread-safe. Destroy it after all connections that use it.
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_SYNC_TIMES_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_SYNC_TIMES_H_

#include <chrono>
#include <string>

#include "server/figures/histogram.h"
#include "server/store/sqlite/vfs_layer.h"

namespace slipstream::sqlite {

class SyncTimes {
 public:
  // Over the VFS called `vfs`, or the default one. If there is none of that name, opening a
  // connection says so.
  explicit SyncTimes(const std::string& vfs);

  // The name of this layer.
  const std::string& vfs() const { return layer_.name(); }
  HistogramFigures Seconds() const { return seconds_.Figures(); }

 private:
  struct TimedFile : PassingFile<TimedFile> {
    TimedFile(Histogram& histogram, int /*open_flags*/) : seconds(histogram) {}

    int Sync(int flags) {
      const auto begin = std::chrono::steady_clock::now();
      const int code = PassingFile::Sync(flags);
      seconds.Observe(
          std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
      return code;
    }

    Histogram& seconds;
  };

  Histogram seconds_;
  VfsLayer<TimedFile, Histogram> layer_;
};

}  // namespace slipstream::sqlite

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_SYNC_TIMES_H_
