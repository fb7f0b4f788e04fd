// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Joins the problems of several nodes for the command line, JSON and Python. An export can have
// hundreds of nodes of one unsupported operator.

#pragma once

#include "convoy/result.h"

namespace convoy {

/// A problem, and all nodes that have it.
struct ProblemGroup {
  /// The text of several nodes begins with their number and the first nodes:
  /// "4 nodes of Conv ('conv1', 'conv2', 'conv3', ...): expects ...". `node` is the first node.
  Problem problem;
  /// The nodes in order, each once; empty if the problem is not about a node.
  std::vector<std::string> nodes = {};
};

/// Joins problems of nodes with the same operator, kind, text and notes. A bug stays alone, because
/// it has its own reproducer.
std::vector<ProblemGroup> groupProblems(const Problems &problems);

} // namespace convoy
