// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which problems are one group, and how the text of a group begins.

#include "Support/GroupProblems.h"
#include <gtest/gtest.h>

using namespace convoy;

namespace {

Problem about(const std::string &node, const std::string &op, const std::string &text,
              ProblemKind kind = ProblemKind::Unsupported) {
  Problem problem;
  problem.kind = kind;
  problem.text = "node '" + node + "' (" + op + "): " + text;
  problem.node = node;
  problem.op = op;
  return problem;
}

Problems listOf(const std::vector<Problem> &list) {
  Problems problems;
  for (const Problem &problem : list) {
    problems.add(problem);
  }
  return problems;
}

using Names = std::vector<std::string>;

TEST(GroupProblems, JoinsNodesOfOneOperatorWithTheSameText) {
  std::vector<ProblemGroup> groups = groupProblems(
      listOf({about("a", "Fly", "no"), about("x", "Swim", "no"), about("b", "Fly", "no"),
              about("c", "Fly", "no"), about("d", "Fly", "no"), about("e", "Fly", "never")}));
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].problem.text, "4 nodes of Fly ('a', 'b', 'c', ...): no");
  EXPECT_EQ(groups[0].problem.node, "a");
  EXPECT_EQ(groups[0].nodes, (Names{"a", "b", "c", "d"}));
  EXPECT_EQ(groups[1].problem.text, "node 'x' (Swim): no");
  EXPECT_EQ(groups[1].nodes, Names{"x"});
  EXPECT_EQ(groups[2].problem.text, "node 'e' (Fly): never");
}

TEST(GroupProblems, NamesUpToThreeNodes) {
  std::vector<ProblemGroup> groups = groupProblems(
      listOf({about("a", "Fly", "no"), about("b", "Fly", "no"), about("c", "Fly", "no")}));
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].problem.text, "3 nodes of Fly ('a', 'b', 'c'): no");
}

TEST(GroupProblems, CountsANodeOnce) {
  std::vector<ProblemGroup> groups =
      groupProblems(listOf({about("a", "Fly", "no"), about("a", "Fly", "no")}));
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].problem.text, "node 'a' (Fly): no");
  EXPECT_EQ(groups[0].nodes, Names{"a"});
}

TEST(GroupProblems, KeepsKindsNotesAndBugsApart) {
  Problem noted = about("b", "Fly", "no");
  noted.notes = {"the wings are short"};
  Problem general;
  general.text = "no";
  EXPECT_EQ(groupProblems(listOf({about("a", "Fly", "no"), noted, general, general,
                                  about("c", "Fly", "no", ProblemKind::Warning),
                                  about("d", "Fly", "no", ProblemKind::Bug),
                                  about("e", "Fly", "no", ProblemKind::Bug)}))
                .size(),
            7U);
}

} // namespace
