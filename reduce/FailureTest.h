// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides whether a model file fails in the way that the user wants to keep. Each test runs
// `convoy` in a child process with the flags of the user, so the command that passes here is the
// command that reproduces the failure. The search (ReduceModel.h) calls it.

#pragma once

#include "reduce/RunCommand.h"
#include <set>
#include <string>
#include <vector>

namespace convoy::reduce {

/// The failures that a model can keep while it shrinks.
enum class Goal {
  Check, // `convoy check` finds a difference between a target and the reference
  Crash, // `convoy compile` or `convoy run` crashes, or prints a given message
  Slow,  // `convoy compile` needs a share of the CPU time of the original model
};

struct TestOptions {
  Goal goal = Goal::Check;
  std::string program;            // the path of `convoy`
  std::vector<std::string> flags; // of the user, for the verb
  std::string message;            // for Crash: text that the errors contain; empty: any crash
  double slowShare = 0.5;         // for Slow: the least share of the original's CPU time
  std::string folder;             // for the files of a test
  CommandLimits limits;
};

/// How a model fails.
struct Symptom {
  /// Equal for failures of the same kind; empty if the model does not fail.
  std::string kind;
  /// The nodes that the failure names, in the order of the graph.
  std::vector<std::string> nodes;
  double cpuSeconds = 0;
  std::string problem; // if the model does not fail: the first error, if there was one

  bool fails() const { return !kind.empty(); }
};

class FailureTest {
public:
  explicit FailureTest(TestOptions options) : options(std::move(options)) {}

  /// Tests the original model, which determines the verb and the kind of failure.
  llvm::Expected<Symptom> testOriginal(const std::string &model,
                                       const std::vector<std::string> &inputs);
  /// Tests a candidate.
  llvm::Expected<Symptom> test(const std::string &model, const std::vector<std::string> &inputs);
  /// Returns whether the symptom is of the kind of the original model.
  bool isSame(const Symptom &symptom) const;

  /// Returns the words that show the failure: "convoy", the verb, the model and the flags.
  std::vector<std::string> command(const std::string &model,
                                   const std::vector<std::string> &inputs) const;
  /// Returns whether the verb runs the model, so that inputs need data.
  bool hasInputs() const { return verb != "compile"; }
  /// Drops flags whose names, such as "--dim", are in the set.
  void dropFlags(const std::set<std::string> &names);
  void setCpuLimit(double seconds) { options.limits.cpuSeconds = seconds; }

private:
  llvm::Expected<Symptom> runVerb(const std::string &model, const std::vector<std::string> &inputs);
  Symptom symptomOf(const CommandResult &result) const;

  TestOptions options;
  std::string verb;
  Symptom original;
};

/// Returns the first error that a command printed, without quoted names, numbers and what follows a
/// semicolon, so that errors about different nodes are equal.
std::string errorKind(llvm::StringRef errors);

/// Returns the names in "'conv1' (Conv) + 'norm1' (BatchNormalization)".
std::vector<std::string> nodeNames(llvm::StringRef text);

} // namespace convoy::reduce
