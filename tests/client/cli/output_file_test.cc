#include "client/cli/output_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"

namespace slipstream::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

namespace fs = std::filesystem;

class OutputFileTest : public testing::Test {
 protected:
  OutputFileTest() { fs::create_directories(folder_); }
  ~OutputFileTest() override { fs::remove_all(folder_); }

  std::string PathOf(const std::string& name) const { return (folder_ / name).string(); }

  static std::string ContentOf(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }

  std::set<std::string> Names() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) names.insert(entry.path().filename());
    return names;
  }

  const fs::path folder_ = fs::path(testing::TempDir()) / absl::StrCat("output_file_", getpid());
};

// Opens the file, writes the text and publishes it.
void WriteWhole(const std::string& path, const std::string& text) {
  auto file = OutputFile::Open(path);
  ASSERT_TRUE(file.ok()) << file.status();
  ASSERT_TRUE((*file)->Write(text).ok());
  const absl::Status published = (*file)->Publish();
  ASSERT_TRUE(published.ok()) << published;
}

mode_t ModeOf(const std::string& path) {
  struct stat file = {};
  EXPECT_EQ(stat(path.c_str(), &file), 0);
  return file.st_mode & 0777;
}

TEST_F(OutputFileTest, ThoseOfOneNameAreWholeEach) {
  const std::string path = PathOf("same");
  auto first = OutputFile::Open(path);
  auto second = OutputFile::Open(path);
  ASSERT_TRUE(first.ok() && second.ok());
  ASSERT_TRUE((*first)->Write("the first").ok());
  ASSERT_TRUE((*second)->Write("second").ok());
  ASSERT_TRUE((*first)->Publish().ok());
  EXPECT_EQ(ContentOf(path), "the first");
  ASSERT_TRUE((*second)->Publish().ok());
  EXPECT_EQ(ContentOf(path), "second");
  EXPECT_THAT(Names(), ElementsAre("same"));
}

TEST_F(OutputFileTest, LeavesOtherFilesAlone) {
  std::ofstream(PathOf("out.partial")) << "another's";
  WriteWhole(PathOf("out"), "text");
  EXPECT_EQ(ContentOf(PathOf("out.partial")), "another's");
  EXPECT_EQ(ContentOf(PathOf("out")), "text");
}

TEST_F(OutputFileTest, LeavesNothingBehindUnlessItIsPublished) {
  std::ofstream(PathOf("out")) << "before";
  {
    auto file = OutputFile::Open(PathOf("out"));
    ASSERT_TRUE(file.ok()) << file.status();
    ASSERT_TRUE((*file)->Write("text").ok());
    EXPECT_EQ(Names().size(), 2u);
  }
  EXPECT_THAT(Names(), ElementsAre("out"));
  EXPECT_EQ(ContentOf(PathOf("out")), "before");
}

TEST_F(OutputFileTest, KeepsTheModeOfTheFileThatItReplaces) {
  for (const mode_t mode : {0600, 0666}) {
    std::ofstream(PathOf("out")) << "before";
    ASSERT_EQ(chmod(PathOf("out").c_str(), mode), 0);
    WriteWhole(PathOf("out"), "text");
    EXPECT_EQ(ModeOf(PathOf("out")), mode);
  }
  const mode_t mask = umask(027);
  WriteWhole(PathOf("new"), "text");
  umask(mask);
  EXPECT_EQ(ModeOf(PathOf("new")), 0640u);
}

TEST_F(OutputFileTest, ReplacesWhatALinkLeadsTo) {
  fs::create_directory(folder_ / "deep");
  fs::create_symlink("deep/second", folder_ / "first");
  fs::create_symlink("../last", folder_ / "deep/second");
  for (const char* text : {"new", "replaced"}) {
    WriteWhole(PathOf("first"), text);
    EXPECT_EQ(ContentOf(PathOf("last")), text);
    EXPECT_TRUE(fs::is_symlink(folder_ / "first") && fs::is_symlink(folder_ / "deep/second"));
  }
  EXPECT_THAT(Names(), ElementsAre("deep", "first", "last"));
  fs::create_symlink("loop", folder_ / "loop");
  EXPECT_FALSE(OutputFile::Open(PathOf("loop")).ok());
}

TEST_F(OutputFileTest, WritesIntoAFifo) {
  ASSERT_EQ(mkfifo(PathOf("fifo").c_str(), 0600), 0);
  const int reader = open(PathOf("fifo").c_str(), O_RDONLY | O_NONBLOCK);
  WriteWhole(PathOf("fifo"), "text");
  char text[10] = {};
  EXPECT_EQ(read(reader, text, sizeof(text)), 4);
  EXPECT_STREQ(text, "text");
  close(reader);
  EXPECT_TRUE(fs::is_fifo(folder_ / "fifo"));
  EXPECT_THAT(Names(), ElementsAre("fifo"));
}

TEST_F(OutputFileTest, WritesIntoADescriptorWhereItStands) {
  const int descriptor = open(PathOf("out").c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_EQ(write(descriptor, "before ", 7), 7);
  fs::create_symlink(absl::StrCat("/dev/fd/", descriptor), folder_ / "link");
  WriteWhole(absl::StrCat("/dev/fd/", descriptor), "text");
  WriteWhole(PathOf("link"), " more");
  close(descriptor);
  EXPECT_EQ(ContentOf(PathOf("out")), "before text more");
}

TEST_F(OutputFileTest, DoesNotReplaceAFolder) {
  fs::create_directory(folder_ / "folder");
  EXPECT_FALSE(OutputFile::Open(PathOf("folder")).ok());
}

TEST_F(OutputFileTest, WithoutAFolderGoesWhereTheProcessIs) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  WriteWhole("here", "text");
  fs::current_path(before);
  EXPECT_EQ(ContentOf(PathOf("here")), "text");
}

TEST_F(OutputFileTest, ThatCannotBeWrittenIsNamed) {
  const absl::Status status = OutputFile::Open(PathOf("none/out")).status();
  EXPECT_THAT(std::string(status.message()), HasSubstr("cannot write " + PathOf("none/out")));
}

}  // namespace
}  // namespace slipstream::cli
