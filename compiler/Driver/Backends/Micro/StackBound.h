// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bounds the stack of a program for a microcontroller: the deepest path of the call graph. The
// compilers give the frame of each function; the files and the objects that they write give the
// calls. MicroProgram reserves this stack, and the report shows it.

#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace convoy::driver {

/// The functions of a program and their calls.
class CallGraph {
public:
  /// Adds the file that gcc writes for -fcallgraph-info=su: frames and calls.
  llvm::Error addCallGraphInfo(llvm::StringRef text);
  /// Adds the file that clang writes for -fstack-usage: frames. clang does not count the bytes that
  /// align a frame to its vectors, at most `alignment` bytes.
  llvm::Error addStackUsage(llvm::StringRef text, int64_t alignment);
  /// Adds the calls in an object, whose functions must be in sections of their own: each
  /// relocation of a call or of a jump.
  llvm::Error addObject(const std::string &path);

  /// Declares `callee` as the function that is called through pointers. Objects do not show such
  /// calls. Without gcc's file, each function whose name begins with `prefix` may call it.
  void resolveIndirectCalls(llvm::StringRef callee, llvm::StringRef prefix);

  struct Function {
    /// Unset if the program does not contain the function's code.
    std::optional<int64_t> frameBytes;
    /// Whether the frame depends on data.
    bool isDynamic = false;
    std::set<std::string> callees;
  };
  const Function *find(llvm::StringRef name) const;

private:
  void addFrame(llvm::StringRef name, int64_t bytes, llvm::StringRef kind);

  std::map<std::string, Function, std::less<>> functions;
  bool knowsIndirectCalls = false;
};

/// A function of the C library and the stack that the target declares for it.
struct LibraryCall {
  std::string name;
  int64_t bytes = 0;
};

struct StackBound {
  int64_t bytes = 0;
  /// The functions of the deepest path, from the root.
  std::vector<std::string> path;
  /// All functions of the C library that the root may reach, by name.
  std::vector<LibraryCall> library;
};

/// Returns the stack of a function with all functions that it calls. `library` contains the
/// functions without code in the graph. The error names a function whose stack has no bound.
llvm::Expected<StackBound> boundStack(const CallGraph &graph, llvm::StringRef root,
                                      const std::map<std::string, int64_t> &library);

/// Returns the bytes of the frames between the entry of `root` and the entry of `callee`, on the
/// deepest path; nullopt if there is no path.
std::optional<int64_t> framesBetween(const CallGraph &graph, llvm::StringRef root,
                                     llvm::StringRef callee);

} // namespace convoy::driver
