#include "server/store/sqlite/connection.h"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "server/store/sqlite/checksum_vfs.h"
#include "server/store/sqlite/result_code.h"

namespace slipstream::sqlite {
namespace {

absl::StatusCode StatusCodeOfOpening(int system_error) {
  switch (system_error) {
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case ENOSPC:
      return absl::StatusCode::kResourceExhausted;
    default:
      return absl::StatusCode::kPermissionDenied;
  }
}

absl::Status OpeningFailed(const std::string& path, int code, sqlite3* database) {
  if ((code & 0xff) != SQLITE_CANTOPEN || database == nullptr) {
    return StatusOfResultCode(code, path, sqlite3_errstr(code));
  }
  return absl::Status(StatusCodeOfOpening(sqlite3_system_errno(database)),
                      absl::StrCat("the store ", path, " cannot be opened (SQLite ", code, ")"));
}

// Whether a system call has just failed. SQLite itself keeps the error of opening a file alone.
bool IsOfSystem(int code) {
  return code == SQLITE_IOERR_READ || code == SQLITE_IOERR_WRITE || code == SQLITE_IOERR_FSYNC ||
         code == SQLITE_IOERR_TRUNCATE;
}

// The first table that a statement of ours names; empty if it names none.
absl::string_view TableOf(absl::string_view sql) {
  size_t begin = absl::string_view::npos;
  for (const absl::string_view before : {"FROM ", "INTO ", "UPDATE "}) {
    const size_t found = sql.find(before);
    if (found != absl::string_view::npos) begin = std::min(begin, found + before.size());
  }
  if (begin == absl::string_view::npos) return {};
  const auto is_of_name = [](char c) {
    return c == '_' || absl::ascii_isalnum(static_cast<unsigned char>(c));
  };
  size_t end = begin;
  while (end < sql.size() && is_of_name(sql[end])) ++end;
  return sql.substr(begin, end - begin);
}

std::string TextOfDamagedPage(int64_t page, const char* sql) {
  const absl::string_view table = sql == nullptr ? absl::string_view() : TableOf(sql);
  std::string text = page == 0 ? std::string("a page") : absl::StrCat("page ", page);
  if (!table.empty()) {
    absl::StrAppend(&text, ", which a statement about the table ", table, " read,");
  }
  return absl::StrCat(text, " does not match its checksum");
}

// SQLite takes a null pointer for NULL, which is not the same as "".
const char* NeverNull(std::string_view bytes) {
  return bytes.data() == nullptr ? "" : bytes.data();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Connection>> Connection::Open(const std::string& path, int flags,
                                                             const std::string& vfs) {
  sqlite3* database = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &database, flags | SQLITE_OPEN_NOMUTEX,
                                   vfs.empty() ? nullptr : vfs.c_str());
  if (code != SQLITE_OK) {
    absl::Status status = OpeningFailed(path, code, database);
    sqlite3_close(database);
    return status;
  }
  sqlite3_extended_result_codes(database, 1);
  sqlite3_busy_timeout(database, kBusyMilliseconds);
  return std::unique_ptr<Connection>(new Connection(path, database));
}

Connection::Connection(std::string path, sqlite3* database)
    : path_(std::move(path)), database_(database) {}

Connection::~Connection() {
  for (const auto& [sql, statement] : statements_) sqlite3_finalize(statement);
  sqlite3_close(database_);
}

absl::Status Connection::Execute(const std::string& sql) {
  const int code = sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? absl::OkStatus() : Fail(code, nullptr, sql.c_str());
}

absl::Status Connection::RollBack() {
  Query query(*this, "ROLLBACK");
  if (sqlite3_get_autocommit(database_) != 0) return absl::OkStatus();
  const absl::Status status = query.Run();
  // SQLite also says so if there is no memory for what it does besides.
  const bool is_done = IsOutOfMemory(failure_) && sqlite3_get_autocommit(database_) != 0;
  return is_done ? absl::OkStatus() : status;
}

int Connection::TakeFailure() { return std::exchange(failure_, SQLITE_OK); }

absl::Status Connection::Fail(int code, const char* text, const char* sql) {
  const int system_error = IsOfSystem(code) ? errno : 0;
  failure_ = code;
  try {
    return StatusOfFailure(system_error, text, sql);
  } catch (const std::bad_alloc&) {
    return StatusOfResultCode(code, path_, "");
  }
}

absl::Status Connection::StatusOfFailure(int system_error, const char* text, const char* sql) {
  const int code = failure_;
  // SQLite itself calls that an input/output error of the disk.
  if (code == SQLITE_IOERR_DATA) {
    return StatusOfResultCode(code, path_, TextOfDamagedPage(DamagedPage(*this), sql));
  }
  if ((code & 0xff) == SQLITE_CANTOPEN) {
    return OpeningFailed(path_, code, database_);
  }
  if (text == nullptr) text = sqlite3_errmsg(database_);
  if (system_error == 0) return StatusOfResultCode(code, path_, text);
  return StatusOfResultCode(code, path_, absl::StrCat(text, ": ", std::strerror(system_error)));
}

sqlite3_stmt* Connection::Prepared(const char* sql, absl::Status* status) {
  const auto known = statements_.find(sql);
  if (known != statements_.end()) {
    assert(sqlite3_stmt_busy(known->second) == 0);
    return known->second;
  }
  sqlite3_stmt* made = nullptr;
  int code = sqlite3_prepare_v3(database_, sql, -1, SQLITE_PREPARE_PERSISTENT, &made, nullptr);
  try {
    if (code == SQLITE_OK) statements_.emplace(sql, made);
  } catch (const std::bad_alloc&) {
    sqlite3_finalize(std::exchange(made, nullptr));
    code = SQLITE_NOMEM;
  }
  if (code != SQLITE_OK) *status = Fail(code, code == SQLITE_NOMEM ? "out of memory" : nullptr);
  return made;
}

Query::Query(Connection& connection, const char* sql)
    : connection_(connection), statement_(connection.Prepared(sql, &status_)) {}

Query::~Query() {
  sqlite3_reset(statement_);
  if (bound_ > 0) sqlite3_clear_bindings(statement_);
}

void Query::NoteBinding(int code) {
  if (code != SQLITE_OK && status_.ok()) status_ = connection_.Fail(code);
}

Query& Query::BindInteger(int64_t value) {
  if (status_.ok()) NoteBinding(sqlite3_bind_int64(statement_, ++bound_, value));
  return *this;
}

Query& Query::BindInteger(std::optional<int64_t> value) {
  if (value.has_value()) return BindInteger(*value);
  if (status_.ok()) NoteBinding(sqlite3_bind_null(statement_, ++bound_));
  return *this;
}

Query& Query::BindReal(std::optional<double> value) {
  if (!status_.ok()) return *this;
  ++bound_;
  NoteBinding(value.has_value() ? sqlite3_bind_double(statement_, bound_, *value)
                                : sqlite3_bind_null(statement_, bound_));
  return *this;
}

Query& Query::BindText(std::string_view text) {
  if (status_.ok()) {
    NoteBinding(sqlite3_bind_text64(statement_, ++bound_, NeverNull(text), text.size(),
                                    SQLITE_STATIC, SQLITE_UTF8));
  }
  return *this;
}

Query& Query::BindBlob(std::string_view bytes) {
  if (status_.ok()) {
    NoteBinding(
        sqlite3_bind_blob64(statement_, ++bound_, NeverNull(bytes), bytes.size(), SQLITE_STATIC));
  }
  return *this;
}

absl::StatusOr<bool> Query::Next() {
  if (!status_.ok()) return status_;
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  status_ = connection_.Fail(code, nullptr, sqlite3_sql(statement_));
  return status_;
}

absl::Status Query::Run() { return Next().status(); }

absl::Status Query::RunOnOneRow() {
  const absl::Status status = Run();
  if (!status.ok() || connection_.changes() == 1) return status;
  return connection_.Fail(SQLITE_NOTFOUND, "the row to change does not exist");
}

std::optional<int64_t> Query::OptionalInteger(int column) const {
  if (sqlite3_column_type(statement_, column) == SQLITE_NULL) return std::nullopt;
  return sqlite3_column_int64(statement_, column);
}

std::optional<double> Query::OptionalReal(int column) const {
  if (sqlite3_column_type(statement_, column) == SQLITE_NULL) return std::nullopt;
  return sqlite3_column_double(statement_, column);
}

std::string Query::Bytes(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  const int size = sqlite3_column_bytes(statement_, column);
  return bytes == nullptr ? std::string() : std::string(bytes, static_cast<size_t>(size));
}

absl::Status Snapshot::Begin() { return Query(connection_, "BEGIN").Run(); }

Snapshot::~Snapshot() {
  if (sqlite3_get_autocommit(connection_.database()) != 0) return;
  if (!Query(connection_, "COMMIT").Run().ok()) (void)connection_.RollBack();
}

}  // namespace slipstream::sqlite
