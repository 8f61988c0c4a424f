#include "server/store/sqlite/read_deadline.h"

namespace slipstream::sqlite {
namespace {

constexpr int kInstructionsBetweenLooks = 1000;

}  // namespace

ReadDeadline::ReadDeadline(Connection* connection, absl::Duration limit)
    : database_(connection->database()),
      end_(std::chrono::steady_clock::now() + absl::ToChronoNanoseconds(limit)) {
  sqlite3_progress_handler(database_, kInstructionsBetweenLooks, &ReadDeadline::Progress, this);
  sqlite3_file_control(database_, "main", SQLITE_FCNTL_FILE_POINTER, &file_);
  if (file_ == nullptr || file_->pMethods == nullptr) return;
  own_methods_ = file_->pMethods;
  methods_ = {*own_methods_, this};
  methods_.methods.xRead = &ReadDeadline::Read;
  file_->pMethods = &methods_.methods;
}

ReadDeadline::~ReadDeadline() {
  if (own_methods_ != nullptr) file_->pMethods = own_methods_;
  sqlite3_progress_handler(database_, 0, nullptr, nullptr);
}

int ReadDeadline::Read(sqlite3_file* file, void* bytes, int size, sqlite3_int64 offset) {
  ReadDeadline* deadline = reinterpret_cast<const Methods*>(file->pMethods)->deadline;
  if (deadline->Passed()) return SQLITE_IOERR_READ;
  return deadline->own_methods_->xRead(file, bytes, size, offset);
}

int ReadDeadline::Progress(void* self) {
  return static_cast<ReadDeadline*>(self)->Passed() ? 1 : 0;
}

bool ReadDeadline::Passed() {
  exceeded_ = exceeded_ || std::chrono::steady_clock::now() > end_;
  return exceeded_;
}

}  // namespace slipstream::sqlite
