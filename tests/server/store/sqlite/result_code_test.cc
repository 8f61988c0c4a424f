#include "server/store/sqlite/result_code.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <string>

#include "core/base/status.h"

namespace slipstream::sqlite {
namespace {

absl::StatusCode CodeOf(int code) { return StatusOfResultCode(code, "path", "text").code(); }

TEST(ResultCode, BecomesAStatusThatTellsTheCallerWhatToDo) {
  EXPECT_EQ(CodeOf(SQLITE_FULL), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(IsOverload(StatusOfResultCode(SQLITE_FULL, "the/path", "the text")));
  EXPECT_FALSE(IsOverload(StatusOfResultCode(SQLITE_TOOBIG, "the/path", "the text")));
  for (const int code : {SQLITE_NOMEM, SQLITE_IOERR_NOMEM}) {
    EXPECT_TRUE(IsOverload(StatusOfResultCode(code, "the/path", "the text"))) << code;
  }
  EXPECT_EQ(CodeOf(SQLITE_NOMEM), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(CodeOf(SQLITE_IOERR_NOMEM), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(CodeOf(SQLITE_TOOBIG), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(CodeOf(SQLITE_BUSY), absl::StatusCode::kUnavailable);
  EXPECT_EQ(CodeOf(SQLITE_BUSY_SNAPSHOT), absl::StatusCode::kUnavailable);
  EXPECT_EQ(CodeOf(SQLITE_CORRUPT_INDEX), absl::StatusCode::kDataLoss);
  EXPECT_EQ(CodeOf(SQLITE_NOTADB), absl::StatusCode::kDataLoss);
  EXPECT_EQ(CodeOf(SQLITE_READONLY), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(CodeOf(SQLITE_READONLY_DBMOVED), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(CodeOf(SQLITE_IOERR_FSYNC), absl::StatusCode::kInternal);
  EXPECT_EQ(CodeOf(SQLITE_CONSTRAINT), absl::StatusCode::kInternal);
}

TEST(ResultCode, NamesTheFileAndTheCode) {
  const std::string message(StatusOfResultCode(SQLITE_FULL, "the/path", "the text").message());
  EXPECT_NE(message.find("the/path"), std::string::npos);
  EXPECT_NE(message.find("the text"), std::string::npos);
  EXPECT_NE(message.find("13"), std::string::npos);
}

TEST(ResultCode, ALockIsThatOfAnotherProgram) {
  const std::string message(StatusOfResultCode(SQLITE_BUSY, "the/path", "it is locked").message());
  EXPECT_EQ(message,
            "the store the/path: it is locked (SQLite 5); another program has locked the file, "
            "which only Slipstream may write to");
}

TEST(ResultCode, AFullOrReadOnlyDiskMayTakeChangesLater) {
  EXPECT_TRUE(IsRefusalOfDisk(SQLITE_FULL));
  EXPECT_TRUE(IsRefusalOfDisk(SQLITE_READONLY));
  EXPECT_FALSE(IsRefusalOfDisk(SQLITE_IOERR_WRITE));
  EXPECT_FALSE(IsRefusalOfDisk(SQLITE_OK));
}

TEST(ResultCode, WhatCouldNotBeReadIsNoFailedWrite) {
  EXPECT_TRUE(IsFailedWrite(SQLITE_FULL));
  EXPECT_TRUE(IsFailedWrite(SQLITE_READONLY));
  EXPECT_TRUE(IsFailedWrite(SQLITE_IOERR_WRITE));
  EXPECT_TRUE(IsFailedWrite(SQLITE_IOERR_FSYNC));
  EXPECT_FALSE(IsFailedWrite(SQLITE_IOERR_READ));
  EXPECT_FALSE(IsFailedWrite(SQLITE_IOERR_DATA));
  EXPECT_FALSE(IsFailedWrite(SQLITE_BUSY));
  EXPECT_FALSE(IsFailedWrite(SQLITE_CONSTRAINT));
  EXPECT_FALSE(IsFailedWrite(SQLITE_OK));
}

TEST(ResultCode, OnlyAnInputOutputErrorLeavesTheContentUnknown) {
  EXPECT_TRUE(IsDiskFailure(SQLITE_IOERR));
  EXPECT_TRUE(IsDiskFailure(SQLITE_IOERR_FSYNC));
  EXPECT_TRUE(IsDiskFailure(SQLITE_IOERR_WRITE));
  EXPECT_FALSE(IsDiskFailure(SQLITE_IOERR_NOMEM));
  EXPECT_FALSE(IsDiskFailure(SQLITE_FULL));
  EXPECT_FALSE(IsDiskFailure(SQLITE_CORRUPT));
  EXPECT_FALSE(IsDiskFailure(SQLITE_OK));
}

}  // namespace
}  // namespace slipstream::sqlite
