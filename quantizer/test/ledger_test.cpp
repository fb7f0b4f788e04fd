// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests that the ledger counts attempts across objects and processes, and the words of its errors.

#include "Support/OutputFile.h"
#include "Support/test/TestFolder.h"
#include "io/Files.h"
#include "quantizer/proof/Promise.h"
#include "llvm/Support/FileSystem.h"
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <thread>
#include <unistd.h>

using namespace convoy;
using namespace convoy::quantizer;

namespace {

class LedgerTest : public testing::Test {
protected:
  Ledger ledger() { return llvm::cantFail(Ledger::open(path)); }

  /// Begins a proof and returns the error, or an empty text.
  std::string begin(const std::string &hash, int64_t attempts, const std::string &description) {
    Ledger opened = ledger();
    llvm::Expected<double> alpha = opened.begin(hash, attempts, description);
    return alpha ? "" : llvm::toString(alpha.takeError());
  }

  std::string text() { return llvm::cantFail(io::readFile(path))->getBuffer().str(); }

  void write(const std::string &text) { llvm::cantFail(writeFile(path, text)); }

  std::string errorOfOpen() {
    llvm::Expected<Ledger> opened = Ledger::open(path);
    return opened ? "" : llvm::toString(opened.takeError());
  }

  convoy::test::TemporaryFolder folder;
  std::string path = folder.file("proofs.json");
};

TEST_F(LedgerTest, ChecksWithoutWriting) {
  EXPECT_FALSE(llvm::cantFail(ledger().knows("cafe")));
  EXPECT_EQ(llvm::toString(ledger().check("cafe", 1)), "");
  EXPECT_FALSE(llvm::sys::fs::exists(path));
  EXPECT_EQ(begin("cafe", 1, "a"), "");
  EXPECT_TRUE(llvm::cantFail(ledger().knows("cafe")));
  std::string refused = llvm::toString(ledger().check("cafe", 1));
  EXPECT_EQ(refused.rfind("cannot prove again on this data (hash cafe): ", 0), 0U) << refused;
  EXPECT_EQ(refused, begin("cafe", 1, "b"));
}

TEST_F(LedgerTest, OneAttemptUsesTheWholeAlpha) {
  Ledger opened = ledger();
  EXPECT_FALSE(llvm::sys::fs::exists(path)); // opening writes nothing
  llvm::Expected<double> alpha = opened.begin("cafe", 1, "resnet8");
  ASSERT_TRUE(bool(alpha));
  EXPECT_DOUBLE_EQ(*alpha, 0.05);
  EXPECT_FALSE(opened.finish("cafe", {5000, 40, 31}, 0.0046));
  EXPECT_EQ(text(), "{\n"
                    "  \"data\": {\n"
                    "    \"cafe\": {\n"
                    "      \"attempts\": 1,\n"
                    "      \"proofs\": [\n"
                    "        {\n"
                    "          \"alpha\": 0.050000000000000003,\n"
                    "          \"bound\": 0.0045999999999999999,\n"
                    "          \"description\": \"resnet8\",\n"
                    "          \"gained\": 31,\n"
                    "          \"lost\": 40,\n"
                    "          \"samples\": 5000\n"
                    "        }\n"
                    "      ]\n"
                    "    }\n"
                    "  },\n"
                    "  \"format\": \"convoy proof ledger\",\n"
                    "  \"version\": 1\n"
                    "}\n");
}

TEST_F(LedgerTest, AttemptsShareAlpha) {
  for (const char *description : {"first", "second", "third"}) {
    Ledger opened = ledger(); // as a new process would
    llvm::Expected<double> alpha = opened.begin("cafe", 3, description);
    ASSERT_TRUE(bool(alpha));
    EXPECT_DOUBLE_EQ(*alpha, 0.05 / 3);
  }
  EXPECT_EQ(begin("cafe", 3, "fourth"),
            "cannot prove again on this data (hash cafe): the ledger '" + path +
                "' counts 3 of 3 declared attempts: 'first', 'second', 'third'; use samples that "
                "no proof has used, or keep the earlier result. Declare --attempts before the "
                "first proof to try several plans");
}

TEST_F(LedgerTest, AProofThatDidNotFinishCounts) {
  EXPECT_EQ(begin("cafe", 1, "ended by a signal"), "");
  EXPECT_NE(begin("cafe", 1, "again").find("counts 1 of 1 declared attempts: 'ended by a signal'"),
            std::string::npos);
}

TEST_F(LedgerTest, TheFirstProofFixesTheAttempts) {
  EXPECT_EQ(begin("0123456789abcdef", 2, "first"), "");
  EXPECT_EQ(begin("0123456789abcdef", 1, "second"),
            "cannot prove with 1 attempt: the ledger '" + path +
                "' expects the 2 that the first proof declared for this data (hash 0123456789ab); "
                "repeat the command with --attempts 2, or use samples that no proof has used");
  EXPECT_NE(begin("0123456789abcdef", 5, "second").find("cannot prove with 5 attempts"),
            std::string::npos);
  EXPECT_EQ(begin("0123456789abcdef", 2, "second"), "");
}

TEST_F(LedgerTest, OtherDataHasItsOwnAttempts) {
  EXPECT_EQ(begin("cafe", 1, "first"), "");
  EXPECT_EQ(begin("beef", 2, "first"), "");
  EXPECT_EQ(begin("beef", 2, "second"), "");
  EXPECT_NE(begin("beef", 2, "third"), "");
}

TEST_F(LedgerTest, ARefusedProofLeavesTheFile) {
  EXPECT_EQ(begin("cafe", 1, "first"), "");
  std::string before = text();
  EXPECT_NE(begin("cafe", 1, "second"), "");
  EXPECT_NE(begin("cafe", 4, "second"), "");
  EXPECT_EQ(text(), before);
  EXPECT_FALSE(llvm::sys::fs::exists(path + ".part"));
}

TEST_F(LedgerTest, AttemptsArePositive) {
  EXPECT_EQ(begin("cafe", 0, "none"), "cannot begin a proof: expects at least 1 attempt, got 0; "
                                      "use for example --attempts 1");
  EXPECT_FALSE(llvm::sys::fs::exists(path));
}

TEST_F(LedgerTest, ResultsBelongToTheProofOfTheObject) {
  Ledger first = ledger(), second = ledger();
  ASSERT_TRUE(bool(first.begin("cafe", 2, "first")));
  ASSERT_TRUE(bool(second.begin("cafe", 2, "second")));
  EXPECT_FALSE(first.finish("cafe", {100, 1, 0}, 0.1));
  EXPECT_FALSE(second.finish("cafe", {100, 2, 0}, 0.2));
  std::string written = text();
  EXPECT_LT(written.find("\"lost\": 1"), written.find("\"description\": \"second\""));
  EXPECT_GT(written.find("\"lost\": 2"), written.find("\"description\": \"second\""));
}

TEST_F(LedgerTest, AResultNeedsAProof) {
  EXPECT_EQ(llvm::toString(ledger().finish("cafe", {100, 1, 0}, 0.1)),
            "cannot record a result in the ledger '" + path +
                "': expects a proof that was begun on this data (hash cafe), got none; do not "
                "change the file during a proof");
}

TEST_F(LedgerTest, ADeletedLedgerIsNoticed) {
  Ledger opened = ledger();
  ASSERT_TRUE(bool(opened.begin("cafe", 1, "first")));
  ASSERT_FALSE(llvm::sys::fs::remove(path));
  EXPECT_NE(llvm::toString(opened.finish("cafe", {100, 1, 0}, 0.1)).find("got none"),
            std::string::npos);
}

TEST_F(LedgerTest, ParallelRunsUseEachAttemptOnce) {
  constexpr int kThreads = 4, kEach = 10, kAttempts = 25;
  std::vector<int> begun(kThreads);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < kEach; ++i) {
        begun[thread] += begin("cafe", kAttempts, "run").empty();
      }
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  EXPECT_EQ(begun[0] + begun[1] + begun[2] + begun[3], kAttempts);
}

TEST_F(LedgerTest, ALockThatStaysIsAnError) {
  int file = open((path + ".lock").c_str(), O_CREAT | O_RDWR, 0666);
  ASSERT_GE(file, 0);
  ASSERT_EQ(flock(file, LOCK_EX), 0);
  EXPECT_EQ(begin("cafe", 1, "first"),
            "cannot lock '" + path +
                ".lock' within 2 s: another process holds the lock of the ledger; wait until it "
                "ends, then repeat the command");
  close(file);
  EXPECT_EQ(begin("cafe", 1, "first"), "");
}

TEST_F(LedgerTest, FilesThatAreNoLedgersAreErrors) {
  std::string remedy = "; restore the file from a copy, because a new ledger does not know the "
                       "earlier proofs";
  std::string expects = "expects a ledger of proofs in '" + path + "', got ";
  write("{");
  EXPECT_EQ(errorOfOpen().find(expects + "invalid JSON: "), 0u);
  EXPECT_NE(errorOfOpen().find(remedy), std::string::npos);
  for (const char *text : {"[]", "{}", "{\"format\": \"convoy proof ledger\"}"}) {
    write(text);
    EXPECT_EQ(errorOfOpen(),
              expects + "JSON without \"format\": \"convoy proof ledger\" and \"data\"" + remedy);
  }
  write("{\"format\": \"convoy proof ledger\", \"version\": 2, \"data\": {}}");
  EXPECT_EQ(errorOfOpen(), expects + "version 2 (this version of convoy reads 1)" + remedy);
  std::string head = "{\"format\": \"convoy proof ledger\", \"version\": 1, \"data\": ";
  for (const char *entry :
       {"{\"a\": 1}", "{\"a\": {\"attempts\": 0, \"proofs\": []}}", "{\"a\": {\"attempts\": 1}}"}) {
    write(head + entry + "}");
    EXPECT_EQ(errorOfOpen(),
              expects + "an entry without positive \"attempts\" and \"proofs\"" + remedy);
  }
  write(head + "{\"a\": {\"attempts\": 1, \"proofs\": [3]}}}");
  EXPECT_EQ(errorOfOpen(), expects + "a proof without \"description\"" + remedy);
}

TEST_F(LedgerTest, AnUnwritableFolderIsAnError) {
  llvm::cantFail(writeFile(folder.file("file"), "x"));
  path = folder.file("file/proofs.json");
  EXPECT_NE(begin("cafe", 1, "first").find("cannot write '"), std::string::npos);
}

TEST_F(LedgerTest, CreatesMissingFolders) {
  path = folder.file("new/folder/proofs.json");
  EXPECT_EQ(begin("cafe", 1, "first"), "");
  EXPECT_NE(begin("cafe", 1, "second"), "");
}

} // namespace
