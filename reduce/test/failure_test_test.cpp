// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests how failures are recognized, with scripts in place of `convoy`.

#include "Support/test/TestFolder.h"
#include "reduce/FailureTest.h"
#include "llvm/Support/FileSystem.h"
#include <gmock/gmock.h>

using namespace convoy::reduce;
using testing::ElementsAre;

namespace {

class FailureTestTest : public testing::Test {
protected:
  /// Returns a test whose program is a shell script. $1 is the verb and $2 the model.
  FailureTest testOf(Goal goal, const std::string &script, const std::string &message = "") {
    TestOptions options;
    options.goal = goal;
    options.program = folder.write("convoy", "#!/bin/sh\n" + script + "\n");
    options.message = message;
    options.folder = folder.path();
    options.flags = {"--threads=2", "--dim=n=4"};
    std::error_code error =
        llvm::sys::fs::setPermissions(options.program, llvm::sys::fs::perms::all_all);
    EXPECT_FALSE(error);
    return FailureTest(options);
  }

  Symptom original(FailureTest &test) {
    llvm::Expected<Symptom> symptom = test.testOriginal("model.onnx", {"--input=x=random:0"});
    EXPECT_TRUE(static_cast<bool>(symptom));
    return symptom ? *symptom : Symptom();
  }

  convoy::test::TemporaryFolder folder;
};

TEST(ErrorKind, LeavesOutNamesNumbersAndFiles) {
  EXPECT_EQ(errorKind("warning: w\nerror: node 'conv 1' (Conv): got 17; reproducer: a.mlir\n"),
            "error: node  (Conv): got ");
  EXPECT_EQ(errorKind("nothing"), "");
}

TEST(NodeNames, ReadsAllNodesOfAFusedOp) {
  EXPECT_THAT(nodeNames("'conv1' (Conv) + 'it's' (Relu)"), ElementsAre("conv1", "it's"));
  EXPECT_THAT(nodeNames("no node"), ElementsAre());
}

TEST_F(FailureTestTest, CheckKeepsTargetAndPass) {
  const char *report = "echo '{\"passed\": false, \"outputs\": [], \"first_wrong\": [{\"target\": "
                       "\"host\", \"pass\": \"'$PASS'\", \"op\": \"\\u0027add1\\u0027 (Add)\"}]}'; "
                       "exit 3";
  FailureTest test = testOf(Goal::Check, "PASS=cse; test \"$2\" = other.onnx && PASS=fold\n" +
                                             std::string(report));
  Symptom symptom = original(test);
  EXPECT_EQ(symptom.kind, "host differs from the reference after cse");
  EXPECT_THAT(symptom.nodes, ElementsAre("add1"));
  EXPECT_TRUE(test.isSame(*test.test("model.onnx", {})));
  EXPECT_FALSE(test.isSame(*test.test("other.onnx", {})));
}

TEST_F(FailureTestTest, CheckTakesTheFirstWrongOutputWithoutAFinding) {
  FailureTest test =
      testOf(Goal::Check, "echo '{\"passed\": false, \"outputs\": [{\"target\": \"a\", "
                          "\"right\": true}, {\"target\": \"b\", \"right\": false}]}'");
  EXPECT_EQ(original(test).kind, "b differs from the reference");
}

TEST_F(FailureTestTest, CheckIsNoCrash) {
  FailureTest test = testOf(Goal::Check, "echo 'error: broken' >&2; exit 3");
  Symptom symptom = original(test);
  EXPECT_FALSE(symptom.fails());
  EXPECT_EQ(symptom.problem, "error: broken");
}

TEST_F(FailureTestTest, CrashKeepsTheErrorOrTheSignal) {
  FailureTest test = testOf(Goal::Crash, "test $2 = other.onnx && kill -SEGV $$\n"
                                         "echo \"error: bug in '$2' 7\" >&2; exit 3");
  EXPECT_EQ(original(test).kind, "exit code 3: error: bug in  ");
  EXPECT_TRUE(test.isSame(*test.test("model2.onnx", {})));
  EXPECT_EQ(test.test("other.onnx", {})->kind, "signal 11");
  EXPECT_THAT(test.command("m.onnx", {"--input=x=random:0"}),
              ElementsAre("convoy", "compile", "m.onnx", "--threads=2", "--dim=n=4"));
}

TEST_F(FailureTestTest, CrashRunsAModelThatCompiles) {
  FailureTest test = testOf(Goal::Crash, "test $1 = compile && exit 0\nkill -ABRT $$");
  EXPECT_EQ(original(test).kind, "signal 6");
  test.dropFlags({"--dim"});
  EXPECT_THAT(test.command("m.onnx", {"--input=x=random:0"}),
              ElementsAre("convoy", "run", "m.onnx", "--threads=2", "--input=x=random:0"));
}

TEST_F(FailureTestTest, OtherExitCodesAreNoCrash) {
  FailureTest test = testOf(Goal::Crash, "echo 'error: unsupported' >&2; exit 2");
  EXPECT_FALSE(original(test).fails());
  FailureTest withMessage = testOf(Goal::Crash, "echo 'error: unsupported' >&2; exit 2", "unsup");
  EXPECT_EQ(original(withMessage).kind, "message");
  FailureTest withoutFailure = testOf(Goal::Crash, "echo unsup", "unsup");
  EXPECT_FALSE(original(withoutFailure).fails());
}

TEST_F(FailureTestTest, SlowKeepsAShareOfTheTime) {
  FailureTest test = testOf(Goal::Slow, "test $2 = fast.onnx && exit 0\ni=0\n"
                                        "while [ $i -lt 300000 ]; do i=$((i+1)); done");
  EXPECT_EQ(original(test).kind, "slow");
  EXPECT_FALSE(test.isSame(*test.test("fast.onnx", {})));
  Symptom slower;
  slower.kind = "slow";
  slower.cpuSeconds = 1000;
  EXPECT_TRUE(test.isSame(slower));
}

} // namespace
