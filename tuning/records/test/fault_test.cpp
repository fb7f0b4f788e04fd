// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests processes that are killed while they write, that write at the same time, or that run
// out of disk space. Everything that a process reported as stored must be stored, and the file
// must stay intact.

#include "RecordCase.h"
#include <fcntl.h>
#include <fstream>
#include <random>
#include <sched.h>
#include <sstream>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace convoy::tuning {
namespace {

using testing::HasSubstr;

struct Limits {
  rlim_t fileBytes = RLIM_INFINITY;
};

class FaultTest : public RecordCase {
protected:
  /// Starts a writer whose output goes to NAME.out and NAME.err.
  pid_t start(const std::string &database, const std::string &name, int first, int count, int batch,
              Limits limits = {}) {
    std::string numbers[] = {std::to_string(first), std::to_string(count), std::to_string(batch)};
    std::string out = file(name + ".out"), err = file(name + ".err");
    std::ofstream{err}; // Removes the output of an earlier writer.
    pid_t child = fork();
    if (child == 0) {
      rlimit limit{limits.fileBytes, limits.fileBytes};
      setrlimit(RLIMIT_FSIZE, &limit);
      dup2(open(out.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600), STDOUT_FILENO);
      dup2(open(err.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600), STDERR_FILENO);
      execl(RECORDS_WRITER, "records_writer", database.c_str(), numbers[0].c_str(),
            numbers[1].c_str(), numbers[2].c_str(), nullptr);
      std::abort();
    }
    return child;
  }

  /// Waits until the writer is about to open the file.
  void awaitReady(const std::string &name) const {
    while (textOf(name + ".err").empty()) {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  }

  static int waitFor(pid_t child) {
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return status;
  }

  std::string textOf(const std::string &name) const {
    std::ifstream stream(file(name));
    std::stringstream text;
    text << stream.rdbuf();
    return text.str();
  }

  /// Returns the trials that a writer reported as stored. Ignores an incomplete last line,
  /// which the writer was printing when it was killed.
  std::vector<std::string> promisedBy(const std::string &name) const {
    std::vector<std::string> trials;
    std::string text = textOf(name + ".out");
    llvm::StringRef rest = text;
    while (rest.contains('\n')) {
      llvm::StringRef line;
      std::tie(line, rest) = rest.split('\n');
      trials.push_back(sampleRecord(std::stoi(line.str())).trial);
    }
    return trials;
  }

  /// Checks that the file is intact and contains all reported trials. Returns the number of
  /// trials.
  static size_t expectWhole(const std::string &path, const std::vector<std::string> &promised) {
    auto database = get(Database::open(path, Database::Access::Write));
    EXPECT_EQ(get(database->text("PRAGMA integrity_check")), "ok");
    RecordStore store = openToRead(path);
    std::vector<std::string> trials = trialsIn(store);
    for (const std::string &trial : promised) {
      EXPECT_TRUE(std::binary_search(trials.begin(), trials.end(), trial)) << trial << " is lost";
    }
    return trials.size();
  }
};

TEST_F(FaultTest, KilledAtAHundredMoments) {
  std::mt19937 random(1);
  std::string path = file("a.db");
  std::vector<std::string> promised;
  int killedBusy = 0;
  for (int round = 0; round < 100; ++round) {
    // Up to 100 ms: from before the file is opened, through the creation of its tables, to
    // many commits.
    int waitUs = static_cast<int>(random() % 100000);
    // Every tenth round uses a new file, whose creation must survive a kill too.
    std::string target = round % 10 == 9 ? file("new" + std::to_string(round) + ".db") : path;
    pid_t child = start(target, "w", round * 1000000, 900000, 1 + round % 5);
    awaitReady("w");
    std::this_thread::sleep_for(std::chrono::microseconds(waitUs));
    kill(child, SIGKILL);
    EXPECT_TRUE(WIFSIGNALED(waitFor(child))) << textOf("w.err");
    std::vector<std::string> now = promisedBy("w");
    killedBusy += now.empty() ? 0 : 1;
    openToWrite(target); // Creates the file if the writer did not.
    if (target != path) {
      expectWhole(target, now);
      continue;
    }
    promised.insert(promised.end(), now.begin(), now.end());
    expectWhole(path, promised);
  }
  // The test is meaningless if all writers were killed before they wrote.
  EXPECT_GT(killedBusy, 10);
  std::cout << promised.size() << " records promised and kept, " << killedBusy
            << " of 100 writers killed while they wrote\n";
}

TEST_F(FaultTest, WritersAtTheSameTime) {
  // Neither the file nor its tables exist at the start.
  std::string path = file("a.db");
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    children.push_back(start(path, "w" + std::to_string(i), i * 1000000, 200, 4));
  }
  std::vector<std::string> promised;
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(waitFor(children[i]), 0) << textOf("w" + std::to_string(i) + ".err");
    std::vector<std::string> now = promisedBy("w" + std::to_string(i));
    promised.insert(promised.end(), now.begin(), now.end());
  }
  EXPECT_EQ(promised.size(), 800u);
  EXPECT_EQ(expectWhole(path, promised), 800u);
}

TEST_F(FaultTest, MadeAtTheSameMoment) {
  // One process opens the file while the other has created it but not its tables.
  for (int round = 0; round < 150; ++round) {
    std::string path = file("m" + std::to_string(round) + ".db");
    std::vector<std::string> errors(4);
    std::vector<std::thread> openers;
    for (std::string &error : errors) {
      openers.emplace_back([&path, &error] {
        llvm::Expected<RecordStore> store = RecordStore::open(path, RecordStore::Access::Write);
        error = store ? "" : llvm::toString(store.takeError());
      });
    }
    for (std::thread &opener : openers) {
      opener.join();
    }
    for (const std::string &error : errors) {
      ASSERT_EQ(error, "") << "in round " << round;
    }
  }
}

TEST_F(FaultTest, LimitedFileSize) {
  std::string path = file("a.db");
  pid_t child = start(path, "w", 0, 1000000, 10, {256 * 1024});
  EXPECT_EQ(WEXITSTATUS(waitFor(child)), 1);
  EXPECT_THAT(textOf("w.err"), HasSubstr("nothing of this step was stored"));
  std::vector<std::string> promised = promisedBy("w");
  EXPECT_GT(promised.size(), 10u);
  EXPECT_EQ(expectWhole(path, promised), promised.size());
  // With free disk space, writing continues.
  EXPECT_EQ(waitFor(start(path, "w2", 5000000, 10, 10)), 0) << textOf("w2.err");
  EXPECT_EQ(expectWhole(path, promised), promised.size() + 10);
}

TEST_F(FaultTest, FullDisk) {
  // A file system of 256 KiB that only this process and its children see.
  std::string disk = file("disk");
  ASSERT_FALSE(llvm::sys::fs::create_directory(disk));
  if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=256k") != 0) {
    GTEST_SKIP() << "needs the right to mount: " << std::strerror(errno);
  }
  std::string path = disk + "/a.db";
  EXPECT_EQ(WEXITSTATUS(waitFor(start(path, "w", 0, 1000000, 10))), 1);
  EXPECT_THAT(textOf("w.err"), HasSubstr("the disk is full"));
  std::vector<std::string> promised = promisedBy("w");
  EXPECT_GT(promised.size(), 10u);
  EXPECT_EQ(mount("tmpfs", disk.c_str(), "tmpfs", MS_REMOUNT, "size=8m"), 0);
  EXPECT_EQ(expectWhole(path, promised), promised.size());
  EXPECT_EQ(waitFor(start(path, "w2", 5000000, 10, 10)), 0) << textOf("w2.err");
  EXPECT_EQ(expectWhole(path, promised), promised.size() + 10);
  umount(disk.c_str());
}

} // namespace
} // namespace convoy::tuning
