// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the texts of problems without their nodes.

#include "Support/GroupProblems.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using llvm::StringRef;

namespace convoy {
namespace {

// A line with more names is hard to read; JSON and Python list all nodes.
constexpr size_t kMostNames = 3;

/// Returns how the text of a problem of one node begins, as graph::describe writes it.
std::string subjectOf(const Problem &problem) {
  return "node '" + problem.node + "' (" + problem.op + "): ";
}

/// Returns "4 nodes of Conv ('conv1', 'conv2', 'conv3', ...): ".
std::string subjectOf(const ProblemGroup &group) {
  std::string names;
  for (StringRef name : llvm::ArrayRef<std::string>(group.nodes).take_front(kMostNames)) {
    names += (names.empty() ? "'" : ", '") + name.str() + "'";
  }
  return std::to_string(group.nodes.size()) + " nodes of " + group.problem.op + " (" + names +
         (group.nodes.size() > kMostNames ? ", ...): " : "): ");
}

/// Returns all parts of a problem but its node.
std::string keyOf(const Problem &problem, StringRef text) {
  std::string key = std::to_string(static_cast<int>(problem.kind));
  key += '\0' + problem.op + '\0' + text.str();
  for (const std::string &note : problem.notes) {
    key += '\0' + note;
  }
  return key;
}

class Grouping {
public:
  void add(const Problem &problem) {
    StringRef text = problem.text;
    bool isOfNode = !problem.node.empty() && text.consume_front(subjectOf(problem));
    if (!isOfNode || problem.kind == ProblemKind::Bug) {
      groups.push_back({problem});
      if (!problem.node.empty()) {
        groups.back().nodes = {problem.node};
      }
      return;
    }
    std::string key = keyOf(problem, text);
    // A node can become several ops with the same problem.
    if (!knownNodes.insert(key + '\0' + problem.node).second) {
      return;
    }
    auto [entry, isNew] = indices.try_emplace(key, groups.size());
    if (isNew) {
      groups.push_back({problem, {problem.node}});
      return;
    }
    ProblemGroup &group = groups[entry->second];
    group.nodes.push_back(problem.node);
    group.problem.text = subjectOf(group) + text.str();
  }

  std::vector<ProblemGroup> groups;

private:
  llvm::StringMap<size_t> indices; // of the group with a key
  llvm::StringSet<> knownNodes;    // each key with the name of a node
};

} // namespace

std::vector<ProblemGroup> groupProblems(const Problems &problems) {
  Grouping grouping;
  for (const Problem &problem : problems.all()) {
    grouping.add(problem);
  }
  return std::move(grouping.groups);
}

} // namespace convoy
