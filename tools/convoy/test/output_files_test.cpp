// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folders and files that verbs write: missing folders are created with the permissions of
// the umask, and an unwritable file is a user error with a remedy.

#include "tools/convoy/test/DriverCase.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "gmock/gmock.h"
#include <csignal>
#include <sys/resource.h>
#include <sys/stat.h>

using namespace convoy;
using namespace convoy::tool;
using ::testing::HasSubstr;

namespace {

struct OutputFilesTest : tool::test::DriverCase {
  OutputFilesTest() { umask(0022); }

  std::string conv() { return op("ConvWithBias"); }

  unsigned modeOf(const std::string &path) {
    struct stat facts{};
    return stat(path.c_str(), &facts) == 0 ? facts.st_mode & 0777 : 0;
  }
};

/// Limits the size of files while it lives.
class FileSizeLimit {
public:
  explicit FileSizeLimit(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    rlimit limit{bytes, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before); }

private:
  rlimit before{};
};

TEST_F(OutputFilesTest, CreatesFoldersWithTheUmask) {
  std::string page = folder.file("a/b/page.html"), library = folder.file("c/d"),
              outputs = folder.file("e/f"), json = folder.file("g/h/bench.json"),
              sweep = folder.file("i/j/sweep.html");
  ASSERT_EQ(convoy({"compile", conv(), "--threads=2", "--report", page, "-o", library}), kDone)
      << err;
  ASSERT_EQ(convoy({"run", conv(), "--input=random", "--output", outputs}), kDone) << err;
  ASSERT_EQ(convoy({"bench", conv(), "--json", json}), kDone) << err;
  ASSERT_EQ(convoy({"sweep", conv(), "--target=abstract", "--pes=4", "--html", sweep}), kDone)
      << err;
  for (const char *made : {"a", "a/b", "c", "c/d", "e", "e/f", "g/h", "i/j"}) {
    EXPECT_EQ(modeOf(folder.file(made)), 0755U) << made;
  }
  for (const std::string &file : {page, json, sweep}) {
    EXPECT_EQ(modeOf(file), 0644U) << file;
  }
}

TEST_F(OutputFilesTest, ReportsAFullDiskWithARemedy) {
  const std::string full = "cannot write '/dev/full': No space left on device; free space "
                           "or choose another folder\n";
  EXPECT_EQ(convoy({"sweep", conv(), "--target=abstract", "--pes=4", "--report", "/dev/full"}),
            kUserError);
  EXPECT_THAT(err, HasSubstr(full));
  EXPECT_EQ(convoy({"bench", conv(), "--json=/dev/full"}), kUserError);
  EXPECT_THAT(err, HasSubstr(full));
  EXPECT_EQ(
      convoy({"compile", conv(), "--threads=2", "--report", "/dev/full", "-o", folder.file("out")}),
      kUserError);
  EXPECT_THAT(err, HasSubstr("error: --report: cannot write '/dev/full': No space left on "
                             "device; free space or choose another folder\n"));
}

TEST_F(OutputFilesTest, ReportsAMissingTemporaryFolder) {
  const char *before = std::getenv("TMPDIR");
  std::string kept = before ? before : "";
  setenv("TMPDIR", "/dev/null/none", /*overwrite=*/1);
  EXPECT_EQ(convoy({"bench", conv()}), kUserError);
  EXPECT_THAT(err, HasSubstr("error: cannot write '/dev/null/none/.convoy-"));
  EXPECT_THAT(err, HasSubstr("': Not a directory\n"));
  before ? setenv("TMPDIR", kept.c_str(), 1) : unsetenv("TMPDIR");
}

TEST_F(OutputFilesTest, ReportsALimitOnFileSizesInEveryVerbThatWrites) {
  std::string out = folder.file("out"), input = conv();
  const std::vector<std::vector<std::string>> commands = {
      {"compile", input, "-o", out},
      {"compile", input, "--weights=file", "-o", out},
      {"compile", input, "--emit=c", "-o", out},
      {"compile", input, "--emit=program", "--target=nvdla-small", "-o", out},
      {"run", input, "--input=random", "--output", out},
  };
  for (const std::vector<std::string> &arguments : commands) {
    FileSizeLimit limit(64);
    EXPECT_EQ(convoy(arguments), kUserError) << llvm::join(arguments, " ");
    EXPECT_THAT(err, HasSubstr("File too large; raise the limit on file sizes (ulimit -f)\n"))
        << llvm::join(arguments, " ");
  }
}

TEST_F(OutputFilesTest, ReportsAFolderWithoutPermission) {
  if (geteuid() == 0) {
    GTEST_SKIP() << "root may write everywhere";
  }
  std::string locked = folder.file("locked");
  ASSERT_FALSE(llvm::sys::fs::create_directory(locked));
  ASSERT_FALSE(llvm::sys::fs::setPermissions(locked, llvm::sys::fs::perms(0555)));
  EXPECT_EQ(convoy({"compile", conv(), "-o", locked + "/out"}), kUserError);
  EXPECT_EQ(err, "error: cannot write '" + locked +
                     "/out': Permission denied; choose a folder with write permission\n");
}

} // namespace
