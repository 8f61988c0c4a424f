// A database that refuses every transaction at first, as one that several servers write to does
// when another server's came between: what a transaction does is done, undone, and done again.
// What cannot be run twice shows.
//
//   std::unique_ptr<Database> database = MakeConflictingDatabase(MakeMemoryDatabase());
//
// As thread-safe as the database that it uses.
#ifndef SLIPSTREAM_TESTS_TESTING_CONFLICTING_DATABASE_H_
#define SLIPSTREAM_TESTS_TESTING_CONFLICTING_DATABASE_H_

#include <functional>
#include <memory>

#include "server/store/database.h"

namespace slipstream {

// `between` is called after each transaction was refused, and may have another server write.
std::unique_ptr<Database> MakeConflictingDatabase(std::unique_ptr<Database> database,
                                                  std::function<void()> between = [] {});

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_TESTING_CONFLICTING_DATABASE_H_
