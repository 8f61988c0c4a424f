// The room on the disk that a store's files will need, taken before it is needed.
//
// A full disk must not keep pages from being moved from the log into the file, as only that makes
// room in the log for anything else: for the deletion of a study, above all. So each commit first
// takes the room that the file needs for all of its pages, and some to spare, which is used only by
// changes that delete. The log has some room from the beginning.
//
// The room does not count towards the sizes of files. Where the file system cannot reserve any, as
// on ZFS, nothing is taken and a deletion may find no room.
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_GROWTH_ROOM_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_GROWTH_ROOM_H_

#include <atomic>
#include <cstdint>
#include <string>

namespace slipstream::sqlite {

// What is to spare for deletions.
inline constexpr int64_t kSpareBytes = 1 << 20;
// What the log takes at once: a few times what a step of a deletion writes.
inline constexpr int64_t kLogRoomBytes = 2 << 20;

// Takes room for the log of the store at `path`, which exists, if the disk has it.
void TakeRoomForLog(const std::string& path);

// Used by the writing thread, but for TakeAgain.
class GrowthRoom {
 public:
  // `descriptor` is that of the open database file, which has `size` bytes with what is in its log,
  // and stays the caller's. No room is taken if it is negative.
  GrowthRoom(int descriptor, int64_t size) : descriptor_(descriptor), granted_(size) {}

  // Takes room for a file of this size, to be called before the commit after which it is needed,
  // and for what is to spare. False if the file grows and the disk has no room for that; a change
  // that deletes (`may_use_spare`) may then use what is to spare.
  bool Take(int64_t size, bool may_use_spare);
  // Whether the disk has no room for the file to grow, as far as a Take has found out.
  bool is_short() const { return is_short_; }

  // Takes what is to spare again, after SQLite has cut the file off, if only to the size that it
  // had: that gives back what was reserved beyond its end. Thread-safe.
  void TakeAgain();

 private:
  // Whether the disk has reserved so many bytes of the file, after the attempt to.
  bool Has(int64_t bytes);

  const int descriptor_;
  std::atomic<bool> is_possible_{true};  // Of this file system.
  int64_t granted_;                      // The latest size that was not refused.
  bool is_short_ = false;
};

}  // namespace slipstream::sqlite

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_GROWTH_ROOM_H_
