// One SQLite connection, on which each statement is prepared once and run often.
//
//   Query query(connection, "SELECT state FROM studies WHERE id = ?");
//   query.BindText(id);
//   SLIPSTREAM_ASSIGN_OR_RETURN(const bool found, query.Next());
//   if (found) state = query.Integer(0);
//
// Not thread-safe: a connection belongs to one thread at a time.
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_CONNECTION_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_CONNECTION_H_

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace slipstream::sqlite {

class Connection {
 public:
  // How long a call waits for a lock that another process holds.
  static constexpr int kBusyMilliseconds = 5000;

  // `flags` are SQLITE_OPEN_ flags; `vfs` empty means the default one. `path`
  // may be a URI when flags say so. PERMISSION_DENIED or RESOURCE_EXHAUSTED when
  // the file cannot be opened.
  static absl::StatusOr<std::unique_ptr<Connection>> Open(const std::string& path, int flags,
                                                          const std::string& vfs);
  ~Connection();

  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Runs one or more statements and ignores their rows.
  absl::Status Execute(const std::string& sql);

  // Rolls the transaction back, if there is one. Takes no memory after the first call, unless the
  // transaction has changed the schema; if there is none, it can be called again.
  absl::Status RollBack();

  // The result code of the latest failure since TakeFailure, or SQLITE_OK.
  int failure() const { return failure_; }
  int TakeFailure();

  // The status for `code`, which TakeFailure will return. Without a text it has
  // SQLite's message about its latest failure; for a page with another checksum than it was written
  // with, it names the page and the table that `sql`, the failed statement, if any, is about.
  // Throws nothing.
  absl::Status Fail(int code, const char* text = nullptr, const char* sql = nullptr);

  // Rows that the last INSERT, UPDATE or DELETE changed.
  int64_t changes() const { return sqlite3_changes64(database_); }
  int64_t last_inserted() const { return sqlite3_last_insert_rowid(database_); }
  bool read_only() const { return sqlite3_db_readonly(database_, "main") == 1; }
  sqlite3* database() const { return database_; }
  const std::string& path() const { return path_; }

 private:
  friend class Query;

  Connection(std::string path, sqlite3* database);

  // The statement of `sql`, a literal: statements are cached by its address.
  // Null after a failure, which is in `*status`. Throws nothing.
  sqlite3_stmt* Prepared(const char* sql, absl::Status* status);
  absl::Status StatusOfFailure(int system_error, const char* text, const char* sql);

  const std::string path_;
  sqlite3* const database_;
  std::unordered_map<const char*, sqlite3_stmt*> statements_;
  int failure_ = SQLITE_OK;
};

// One run of a statement. Bound text must live as long as the run; columns are
// copied out. At most one run of a statement at a time.
class Query {
 private:
  template <typename RowOf>
  using RowFrom = std::invoke_result_t<RowOf, const Query&>;

 public:
  // `sql` must be a literal.
  Query(Connection& connection, const char* sql);
  ~Query();

  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  // Parameters are bound from the first to the last.
  Query& BindInteger(int64_t value);
  Query& BindInteger(std::optional<int64_t> value);
  Query& BindReal(std::optional<double> value);
  Query& BindText(std::string_view text);
  Query& BindBlob(std::string_view bytes);

  // Steps to the next row; false when there is none.
  absl::StatusOr<bool> Next();
  // The first row, or all of them, as `row_of`, a function of (const Query&),
  // makes them.
  template <typename RowOf>
  auto First(RowOf row_of) -> absl::StatusOr<std::optional<RowFrom<RowOf>>> {
    const absl::StatusOr<bool> found = Next();
    if (!found.ok()) return found.status();
    return *found ? std::optional<RowFrom<RowOf>>(row_of(*this)) : std::nullopt;
  }
  template <typename RowOf>
  auto All(RowOf row_of) -> absl::StatusOr<std::vector<RowFrom<RowOf>>> {
    std::vector<RowFrom<RowOf>> rows;
    while (true) {
      const absl::StatusOr<bool> more = Next();
      if (!more.ok()) return more.status();
      if (!*more) return rows;
      rows.push_back(row_of(*this));
    }
  }
  // Runs a statement that has no rows.
  absl::Status Run();
  // The same for one that changes exactly one row, else it fails.
  absl::Status RunOnOneRow();

  int64_t Integer(int column) const { return sqlite3_column_int64(statement_, column); }
  double Real(int column) const { return sqlite3_column_double(statement_, column); }
  std::optional<int64_t> OptionalInteger(int column) const;
  std::optional<double> OptionalReal(int column) const;
  std::string Bytes(int column) const;

 private:
  void NoteBinding(int code);

  Connection& connection_;
  absl::Status status_;
  sqlite3_stmt* const statement_;
  int bound_ = 0;
};

// A read transaction: several statements see one state of the file. Ends with its
// scope.
class Snapshot {
 public:
  explicit Snapshot(Connection& connection) : connection_(connection) {}
  ~Snapshot();

  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

  absl::Status Begin();

 private:
  Connection& connection_;
};

}  // namespace slipstream::sqlite

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_CONNECTION_H_
