// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests output files and sets of output files: they replace earlier files as a whole, or not at
// all.

#include "Support/OutputSet.h"
#include "Support/test/TestFolder.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <sys/stat.h>
#include <unistd.h>

using namespace convoy;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

namespace {

std::string read(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : "no file";
}

llvm::Error failToPrint(llvm::raw_fd_ostream &stream) {
  stream << "a part";
  return llvm::createStringError("stopped");
}

struct OutputSetTest : testing::Test {
  std::string path(const char *name) const { return folder.file(name); }
  std::string linkTo(const char *name, const std::string &target) const {
    EXPECT_EQ(symlink(target.c_str(), path(name).c_str()), 0);
    return path(name);
  }

  test::TemporaryFolder folder;
};

TEST_F(OutputSetTest, ReplacesAllFilesAtOnce) {
  folder.write("a", "old a");
  folder.write("b", "old b");
  OutputSet set;
  ASSERT_FALSE(set.create(folder.path()));
  ASSERT_FALSE(set.write(path("a"), "new a"));
  ASSERT_FALSE(set.write(path("b"), "new b"));
  EXPECT_EQ(read(path("a")), "old a");
  ASSERT_FALSE(set.commit());
  EXPECT_EQ(read(path("a")), "new a");
  EXPECT_EQ(read(path("b")), "new b");
}

TEST_F(OutputSetTest, WithoutCommitLeavesTheEarlierFilesAlone) {
  folder.write("a", "old a");
  {
    OutputSet set;
    ASSERT_FALSE(set.create(folder.path()));
    ASSERT_FALSE(set.write(path("a"), "new a"));
    EXPECT_EQ(llvm::toString(set.write(path("b"), failToPrint)), "stopped");
  }
  EXPECT_EQ(read(path("a")), "old a");
  EXPECT_THAT(folder.files(), ElementsAre("a"));
}

TEST_F(OutputSetTest, AFolderInThePlaceOfAFileChangesNothing) {
  folder.write("a", "old a");
  ASSERT_FALSE(createFolder(path("b")));
  {
    OutputSet set;
    ASSERT_FALSE(set.create(folder.path()));
    ASSERT_FALSE(set.write(path("a"), "new a"));
    ASSERT_FALSE(set.write(path("b"), "new b"));
    EXPECT_THAT(llvm::toString(set.commit()), HasSubstr("cannot write '" + path("b") + "': "));
  }
  EXPECT_EQ(read(path("a")), "old a");
}

TEST_F(OutputSetTest, ReplacesLinksAndFollowsNone) {
  std::string victim = folder.write("victim", "keep"), link = linkTo("a", victim);
  OutputSet set;
  ASSERT_FALSE(set.create(folder.path()));
  ASSERT_FALSE(set.write(link, "new"));
  ASSERT_FALSE(set.commit());
  EXPECT_EQ(read(link), "new");
  ASSERT_FALSE(writeFile(linkTo("b", victim), "text"));
  EXPECT_EQ(read(victim), "keep");
  EXPECT_EQ(read(path("b")), "text");
}

TEST_F(OutputSetTest, KeepsTheEarlierFileOnlyDuringTheRenames) {
  folder.write("a.weights", "old");
  OutputSet set;
  ASSERT_FALSE(set.create(folder.path()));
  ASSERT_FALSE(set.write(path("a.weights"), "new"));
  set.keepEarlier(path("a.weights"), "a.weights.earlier");
  ASSERT_FALSE(set.commit());
  EXPECT_EQ(read(path("a.weights")), "new");
  EXPECT_EQ(read(path("a.weights.earlier")), "no file");
}

TEST_F(OutputSetTest, RemovesWhatEndedProcessesLeft) {
  std::string left = folder.file(".convoy-0123456789abcdef"), other = folder.file(".convoy-mine");
  ASSERT_FALSE(createFolder(left));
  ASSERT_FALSE(createFolder(other));
  folder.write(".convoy-0123456789abcdef/part", "x");
  linkTo(".convoy-00000000000000ff", other);
  TemporaryFolder used;
  ASSERT_FALSE(used.create(folder.path()));
  OutputSet set;
  ASSERT_FALSE(set.create(folder.path()));
  EXPECT_FALSE(llvm::sys::fs::exists(left));
  EXPECT_TRUE(llvm::sys::fs::exists(other));
  EXPECT_TRUE(llvm::sys::fs::exists(used.path()));
}

TEST_F(OutputSetTest, TemporaryFoldersBelongToOneUser) {
  TemporaryFolder made;
  ASSERT_FALSE(made.create(folder.path()));
  struct stat status{};
  ASSERT_EQ(stat(made.path().str().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700U);
  EXPECT_TRUE(isRandomName(llvm::sys::path::filename(made.path())));
}

// A temporary folder has a lock of its process, for which commit() must not wait.
TEST_F(OutputSetTest, ASetInATemporaryFolderIsCommitted) {
  TemporaryFolder outer;
  ASSERT_FALSE(outer.create(folder.path()));
  OutputSet set;
  ASSERT_FALSE(set.create(outer.path()));
  ASSERT_FALSE(set.write(outer.file("a"), "new a"));
  ASSERT_FALSE(set.commit());
  EXPECT_EQ(read(outer.file("a")), "new a");
}

TEST_F(OutputSetTest, AFailedFileLeavesTheEarlierOne) {
  folder.write("a", "old");
  EXPECT_EQ(llvm::toString(writeFile(path("a"), failToPrint)), "stopped");
  EXPECT_EQ(read(path("a")), "old");
  EXPECT_THAT(folder.files(), ElementsAre("a"));
}

TEST_F(OutputSetTest, DevicesAreOpened) {
  EXPECT_FALSE(writeFile("/dev/null", "text"));
  EXPECT_THAT(llvm::toString(writeFile("/dev/full", "text")),
              HasSubstr("cannot write '/dev/full'"));
}

} // namespace
