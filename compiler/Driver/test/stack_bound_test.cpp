// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the bound of the stack on call graphs as the compilers write them. tests/models/micro
// compares bounds with the stack that emulated programs use.

#include "Driver/Backends/Micro/StackBound.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace convoy::driver;
using testing::ElementsAre;

namespace {

constexpr char kCallGraph[] = R"ci(graph: { title: "net.c"
node: { title: "net_run" label: "net_run\nnet.c:9:5\n40 bytes (static)" }
node: { title: "net.c:net_conv" label: "net_conv\nnet.c:2:5\n100 bytes (static)" }
node: { title: "net.c:net_pool.constprop.0" label: "net_pool\nnet.c:3:5\n8 bytes (dynamic,bounded)" }
node: { title: "memcpy" label: "__builtin_memcpy\n<built-in>" shape : ellipse }
edge: { sourcename: "net_run" targetname: "net.c:net_conv" label: "net.c:10:2" }
edge: { sourcename: "net_run" targetname: "net.c:net_pool.constprop.0" }
edge: { sourcename: "net.c:net_pool.constprop.0" targetname: "memcpy" }
}
)ci";

constexpr char kRunNode[] = R"ci(
node: { title: "net_run" label: "net_run\nnet.c:9:5\n40 bytes (static)" }
)ci";

CallGraph graphOf(llvm::StringRef text) {
  CallGraph graph;
  llvm::cantFail(graph.addCallGraphInfo(text));
  return graph;
}

std::string errorOf(llvm::StringRef text) {
  llvm::Expected<StackBound> bound = boundStack(graphOf(text), "net_run", {{"memcpy", 16}});
  return bound ? "" : llvm::toString(bound.takeError());
}

TEST(StackBound, IsTheDeepestPath) {
  llvm::Expected<StackBound> bound = boundStack(graphOf(kCallGraph), "net_run", {{"memcpy", 16}});
  ASSERT_TRUE(bool(bound)) << llvm::toString(bound.takeError());
  EXPECT_EQ(bound->bytes, 140);
  EXPECT_THAT(bound->path, ElementsAre("net_run", "net_conv"));
  ASSERT_EQ(bound->library.size(), 1u);
  EXPECT_EQ(bound->library[0].name, "memcpy");
  EXPECT_EQ(bound->library[0].bytes, 16);
}

TEST(StackBound, ContainsTheDeclaredStackOfTheLibrary) {
  llvm::Expected<StackBound> bound = boundStack(graphOf(kCallGraph), "net_run", {{"memcpy", 200}});
  ASSERT_TRUE(bool(bound)) << llvm::toString(bound.takeError());
  EXPECT_EQ(bound->bytes, 248);
  EXPECT_THAT(bound->path, ElementsAre("net_run", "net_pool.constprop.0", "memcpy"));
}

TEST(StackBound, FramesBetweenFunctions) {
  CallGraph graph = graphOf(kCallGraph);
  EXPECT_EQ(framesBetween(graph, "net_run", "memcpy"), 48);
  EXPECT_EQ(framesBetween(graph, "net_conv", "memcpy"), std::nullopt);
}

TEST(StackBound, ContainsTheFunctionThatIsCalledThroughAPointer) {
  const std::string calls = std::string(kRunNode) + R"ci(
node: { title: "read_row" label: "read_row\nprogram.c:9:5\n24 bytes (static)" }
edge: { sourcename: "net_run" targetname: "__indirect_call" }
)ci";
  CallGraph graph = graphOf(calls);
  graph.resolveIndirectCalls("read_row", "net_");
  EXPECT_EQ(llvm::cantFail(boundStack(graph, "net_run", {})).bytes, 64);
  // clang does not write calls through pointers, so each function of the model may have one.
  CallGraph unknown;
  llvm::cantFail(unknown.addStackUsage("net.c:3:net_run\t40\tstatic\np.c:9:read_row\t24\tstatic\n"
                                       "p.c:1:convoy_start\t8\tstatic\n",
                                       0));
  unknown.resolveIndirectCalls("read_row", "net_");
  EXPECT_EQ(llvm::cantFail(boundStack(unknown, "net_run", {})).bytes, 64);
  EXPECT_EQ(llvm::cantFail(boundStack(unknown, "convoy_start", {})).bytes, 8);
}

TEST(StackBound, ReadsTheStackUsageOfClang) {
  CallGraph graph;
  llvm::cantFail(graph.addStackUsage("net.c:3:net_run\t24\tstatic\nnet.c:9:f\t8\tdynamic\n", 0));
  llvm::Expected<StackBound> bound = boundStack(graph, "net_run", {});
  ASSERT_TRUE(bool(bound)) << llvm::toString(bound.takeError());
  EXPECT_EQ(bound->bytes, 24);
  CallGraph aligned;
  llvm::cantFail(aligned.addStackUsage("net.c:3:net_run\t24\tstatic\nnet.c:9:f\t8\tstatic\n", 8));
  EXPECT_EQ(llvm::cantFail(boundStack(aligned, "net_run", {})).bytes, 32);
  EXPECT_EQ(llvm::cantFail(boundStack(aligned, "f", {})).bytes, 8); // has no vector
  EXPECT_EQ(llvm::toString(boundStack(graph, "f", {}).takeError()),
            "the stack of 'f' has no bound: the frame of 'f' depends on data; use arrays of fixed "
            "sizes");
  EXPECT_EQ(llvm::toString(graph.addStackUsage("net_run 24 static\n", 0)),
            "the compiler wrote an unknown stack usage 'net_run 24 static'");
}

/// Returns the error of a run that calls one function.
std::string errorOfCall(const std::string &callee) {
  return errorOf(std::string(kRunNode) + "edge: { sourcename: \"net_run\" targetname: \"" + callee +
                 "\" }\n");
}

TEST(StackBound, UnknownFunctionsAreErrors) {
  EXPECT_EQ(errorOfCall("expf"),
            "the stack of 'net_run' has no bound: the stack of the library function 'expf' is "
            "unknown; add it to toolchain.libraryStack of the target's description, see "
            "scripts/library-stack.py");
}

TEST(StackBound, RecursionAndPointersAreErrors) {
  EXPECT_EQ(errorOfCall("net_run"),
            "the stack of 'net_run' has no bound: 'net_run' calls itself; replace the recursion by "
            "a loop");
  EXPECT_EQ(errorOfCall("__indirect_call"),
            "the stack of 'net_run' has no bound: a function is called through a pointer; call "
            "functions by their names");
}

} // namespace
