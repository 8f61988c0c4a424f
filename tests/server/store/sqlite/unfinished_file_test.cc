#include "server/store/sqlite/unfinished_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "tests/server/store/sqlite/store_fixture.h"

namespace slipstream::sqlite {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

class UnfinishedFileTest : public SqliteStoreTest {
 protected:
  std::string Copy() const { return folder() + "/copy.db"; }

  // Another process that is in the middle of a copy until it is killed.
  struct Writer {
    pid_t pid = 0;
    std::string path;
  };
  Writer StartWriter() const {
    int told[2];
    EXPECT_EQ(pipe(told), 0);
    const pid_t child = fork();
    if (child == 0) {
      const absl::StatusOr<UnfinishedFile> file = UnfinishedFile::Create(folder() + "/other.db");
      if (!file.ok()) _exit(1);
      const std::string path = file->path() + "\n";
      if (write(told[1], path.data(), path.size()) < 0) _exit(2);
      while (true) pause();
    }
    close(told[1]);
    Writer writer{child, ""};
    char letter = 0;
    while (read(told[0], &letter, 1) == 1 && letter != '\n') writer.path += letter;
    close(told[0]);
    return writer;
  }
  static void Kill(const Writer& writer) {
    kill(writer.pid, SIGKILL);
    waitpid(writer.pid, nullptr, 0);
  }
  // Everything in the folder, lock files too.
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder())) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  }
};

TEST_F(UnfinishedFileTest, IsGivenItsNameAndLeavesNothingElse) {
  auto file = UnfinishedFile::Create(Copy());
  ASSERT_TRUE(file.ok()) << file.status();
  struct stat found = {};
  ASSERT_EQ(stat(file->path().c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600u);
  ASSERT_TRUE(file->Publish(Copy()).ok());
  EXPECT_THAT(Names(), ElementsAre("copy.db"));
}

TEST_F(UnfinishedFileTest, DoesNotTakeANameThatIsThereAndGoesAway) {
  WriteBytes(Copy(), "precious");
  {
    auto file = UnfinishedFile::Create(Copy());
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_TRUE(absl::IsAlreadyExists(file->Publish(Copy())));
  }
  EXPECT_THAT(Names(), ElementsAre("copy.db"));
  EXPECT_EQ(ReadBytes(Copy()), "precious");
}

TEST_F(UnfinishedFileTest, WhatAKilledProcessLeftIsRemovedAndWhatALivingOneWritesIsNot) {
  const Writer living = StartWriter();
  const Writer killed = StartWriter();
  Kill(killed);
  WriteBytes(killed.path + "-journal", "left");
  ASSERT_EQ(Names().size(), 5u);
  RemoveAbandonedFiles(Copy());
  const std::string name = living.path.substr(folder().size() + 1);
  EXPECT_THAT(Names(), UnorderedElementsAre(name, name + ".lock"));
  Kill(living);
  RemoveAbandonedFiles(Copy());
  EXPECT_THAT(Names(), IsEmpty());
}

TEST_F(UnfinishedFileTest, WhatAnEarlierVersionLeftIsRemovedAndOtherFilesAreNot) {
  const std::vector<std::string> kept = {"a.db", "a.db.lock", "b.unfinished-12345",
                                         "b.unfinished-1234567", "b.unfinished-12_456",
                                         "b.unfinished-123456.txt"};
  for (const std::string& name : kept) WriteBytes(folder() + "/" + name, "kept");
  for (const std::string name : {"b.db.unfinished-aZ3456", "c.unfinished-123456.lock"}) {
    WriteBytes(folder() + "/" + name, "left");
  }
  RemoveAbandonedFiles(Copy());
  EXPECT_THAT(Names(), testing::UnorderedElementsAreArray(kept));
}

TEST_F(UnfinishedFileTest, TheNextBackupCleansUpAfterAKilledOne) {
  MakeFile();
  const Writer killed = StartWriter();
  Kill(killed);
  const absl::Status copied = BackUpSqliteFile(path(), Copy());
  ASSERT_TRUE(copied.ok()) << copied;
  EXPECT_THAT(Names(), Not(Contains(HasSubstr("unfinished"))));
  EXPECT_TRUE(CheckSqliteFile(Copy()).ok()) << CheckSqliteFile(Copy());
}

TEST_F(UnfinishedFileTest, NoneIsLostWhileOthersCleanUp) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 200; ++round) {
        RemoveAbandonedFiles(Copy());
        const std::string destination = Copy() + std::to_string(i) + "-" + std::to_string(round);
        auto file = UnfinishedFile::Create(destination);
        ASSERT_TRUE(file.ok()) << file.status();
        ASSERT_TRUE(file->Publish(destination).ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Names().size(), 800u);
  EXPECT_THAT(Names(), Contains("copy.db3-199"));
}

}  // namespace
}  // namespace slipstream::sqlite
