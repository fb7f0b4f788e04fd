// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the trees of TreeEnsembleClassifier and TreeEnsembleRegressor, which list
// nodes by the numbers of tree and node, into the attributes of graph.tree_ensemble.

#include "Import/LearningTreeForm.h"
#include <set>

using namespace mlir;

namespace convoy::import {

namespace {

const StringRef kModes[] = {"BRANCH_LEQ", "BRANCH_LT",  "BRANCH_GTE", "BRANCH_GT",
                            "BRANCH_EQ",  "BRANCH_NEQ", "LEAF"};
constexpr int64_t kLeafMode = 6;

} // namespace

TreeFormReader::TreeFormReader(NodeContext &n, StringRef weightPrefix)
    : n(n), prefix(weightPrefix.str()), trees(n.intsAttr("nodes_treeids")),
      ids(n.intsAttr("nodes_nodeids")) {}

LogicalResult TreeFormReader::read() {
  if (trees.empty()) {
    return n.error() << "requires the attribute 'nodes_treeids' with one value per node";
  }
  if (failed(readModes()) || failed(readNodes())) {
    return failure();
  }
  return readLeaves();
}

FailureOr<Shape> TreeFormReader::nodeInts(StringRef name, bool isOptional) {
  Shape list = n.intsAttr(name);
  if (isOptional && list.empty()) {
    list.resize(trees.size(), 0);
  }
  if (list.size() == trees.size()) {
    return list;
  }
  return FailureOr<Shape>(n.error() << "has " << list.size() << " values in '" << name
                                    << "', expected one for each of " << trees.size() << " nodes");
}

LogicalResult TreeFormReader::readModes() {
  std::vector<std::string> words = n.stringsAttr("nodes_modes");
  if (words.size() != trees.size()) {
    return n.error() << "has " << words.size() << " values in 'nodes_modes', expected one for "
                     << "each of " << trees.size() << " nodes";
  }
  for (const std::string &word : words) {
    const auto *found = llvm::find(kModes, StringRef(word));
    if (found == std::end(kModes)) {
      return n.error() << "has the mode '" << word << "' in 'nodes_modes', expected one of "
                       << llvm::join(ArrayRef<StringRef>(kModes), ", ");
    }
    modes.push_back(found - std::begin(kModes));
  }
  return success();
}

LogicalResult TreeFormReader::readNodes() {
  FailureOr<Shape> nodeIds = nodeInts("nodes_nodeids");
  FailureOr<Shape> features = nodeInts("nodes_featureids");
  FailureOr<Shape> whenTrue = nodeInts("nodes_truenodeids");
  FailureOr<Shape> whenFalse = nodeInts("nodes_falsenodeids");
  FailureOr<Shape> missing = nodeInts("nodes_missing_value_tracks_true", /*isOptional=*/true);
  SmallVector<double> values = numbersAttr(n, "nodes_values");
  if (failed(nodeIds) || failed(features) || failed(whenTrue) || failed(whenFalse) ||
      failed(missing)) {
    return failure();
  }
  if (values.size() != trees.size()) {
    return n.error() << "has " << values.size() << " values in 'nodes_values', expected one for "
                     << "each of " << trees.size() << " nodes";
  }
  if (failed(numberNodes())) {
    return failure();
  }
  for (size_t i = 0; i < trees.size(); ++i) {
    if (modes[i] == kLeafMode) {
      continue;
    }
    form.features.push_back((*features)[i]);
    form.splits.push_back(values[i]);
    form.modes.push_back(static_cast<double>(modes[i]));
    form.missingTracksTrue.push_back((*missing)[i] != 0);
    if (failed(addChild(i, (*whenTrue)[i], form.trueIds, form.trueLeaves)) ||
        failed(addChild(i, (*whenFalse)[i], form.falseIds, form.falseLeaves))) {
      return failure();
    }
  }
  addRoots();
  return success();
}

/// Numbers the branches and the leaves in the order of the lists.
LogicalResult TreeFormReader::numberNodes() {
  int64_t branches = 0;
  for (size_t i = 0; i < trees.size(); ++i) {
    bool isNew = rowOf.insert({{trees[i], ids[i]}, i}).second;
    if (!isNew) {
      return n.error() << "has node " << ids[i] << " of tree " << trees[i] << " twice";
    }
    number.push_back(modes[i] == kLeafMode ? leafCount++ : branches++);
  }
  return success();
}

LogicalResult TreeFormReader::addChild(size_t row, int64_t child, Shape &childIds, Shape &isLeaf) {
  auto found = rowOf.find({trees[row], child});
  if (found == rowOf.end()) {
    return n.error() << "has node " << ids[row] << " of tree " << trees[row] << " with the child "
                     << child << ", which is not a node of the tree";
  }
  childIds.push_back(number[found->second]);
  isLeaf.push_back(modes[found->second] == kLeafMode);
  return success();
}

/// The first listed node of a tree is its root. A root that is a leaf becomes the
/// child of a branch, because graph.tree_ensemble starts at branches.
void TreeFormReader::addRoots() {
  for (size_t i = 0; i < trees.size(); ++i) {
    if (i > 0 && trees[i] == trees[i - 1]) {
      continue;
    }
    if (modes[i] != kLeafMode) {
      form.roots.push_back(number[i]);
      continue;
    }
    form.roots.push_back(form.features.size());
    form.features.push_back(0);
    form.splits.push_back(0);
    form.modes.push_back(0);
    form.missingTracksTrue.push_back(0);
    for (auto *list : {&form.trueIds, &form.falseIds}) {
      list->push_back(number[i]);
    }
    for (auto *list : {&form.trueLeaves, &form.falseLeaves}) {
      list->push_back(1);
    }
  }
}

LogicalResult TreeFormReader::readLeaves() {
  Shape leafTrees = n.intsAttr(prefix + "_treeids"), leafNodes = n.intsAttr(prefix + "_nodeids");
  Shape targets = n.intsAttr(prefix + "_ids");
  SmallVector<double> weights = numbersAttr(n, prefix + "_weights");
  for (size_t count : {leafNodes.size(), targets.size(), weights.size()}) {
    if (count != leafTrees.size()) {
      return n.error() << "has " << leafTrees.size() << ", " << leafNodes.size() << ", "
                       << targets.size() << " and " << weights.size() << " values in '" << prefix
                       << "_treeids', '" << prefix << "_nodeids', '" << prefix << "_ids' and '"
                       << prefix << "_weights', expected the same number";
    }
  }
  std::vector<std::vector<LeafEntry>> entries(leafCount);
  for (size_t i = 0; i < leafTrees.size(); ++i) {
    auto found = rowOf.find({leafTrees[i], leafNodes[i]});
    if (found == rowOf.end()) {
      return n.error() << "has a weight of node " << leafNodes[i] << " of tree " << leafTrees[i]
                       << ", which is not in the list of nodes";
    }
    if (modes[found->second] == kLeafMode) { // Weights of branches have no effect.
      entries[number[found->second]].push_back({targets[i], weights[i]});
    }
  }
  for (const std::vector<LeafEntry> &leaf : entries) {
    form.leafStarts.push_back(form.targets.size());
    for (const LeafEntry &entry : leaf) {
      form.targets.push_back(entry.target);
      form.weights.push_back(entry.weight);
    }
  }
  form.leafStarts.push_back(form.targets.size());
  return success();
}

DictionaryAttr treeAttributes(NodeContext &n, const TreeForm &form, int64_t targets,
                              graph::TreeAggregate aggregate) {
  SmallVector<NamedAttribute> list;
  auto ints = [&](StringRef name, ArrayRef<int64_t> values) {
    list.push_back(n.builder.getNamedAttr(name, n.builder.getDenseI64ArrayAttr(values)));
  };
  auto doubles = [&](StringRef name, ArrayRef<double> values) {
    list.push_back(n.builder.getNamedAttr(name, n.builder.getDenseF64ArrayAttr(values)));
  };
  auto number = [&](StringRef name, int64_t value) {
    list.push_back(n.builder.getNamedAttr(name, n.builder.getI64IntegerAttr(value)));
  };
  ints("nodes_featureids", form.features);
  ints("nodes_truenodeids", form.trueIds);
  ints("nodes_falsenodeids", form.falseIds);
  ints("nodes_trueleafs", form.trueLeaves);
  ints("nodes_falseleafs", form.falseLeaves);
  ints("nodes_missing_value_tracks_true", form.missingTracksTrue);
  ints("leaf_starts", form.leafStarts);
  ints("leaf_targetids", form.targets);
  ints("tree_roots", form.roots);
  doubles("nodes_splits", form.splits);
  doubles("nodes_modes", form.modes);
  doubles("leaf_weights", form.weights);
  doubles("membership_values", {});
  number("n_targets", targets);
  number("aggregate_function", static_cast<int64_t>(aggregate));
  number("post_transform", 0);
  return n.builder.getDictionaryAttr(list);
}

//===-- Scores --------------------------------------------------------------===//

/// Returns the root of the tree of each reachable leaf.
static std::map<int64_t, int64_t> leafRoots(const TreeForm &form) {
  std::map<int64_t, int64_t> result;
  for (int64_t root : form.roots) {
    std::set<int64_t> seen;
    SmallVector<int64_t> open = {root};
    while (!open.empty()) {
      int64_t node = open.pop_back_val();
      if (!seen.insert(node).second) {
        continue;
      }
      for (bool isTrue : {true, false}) {
        int64_t child = (isTrue ? form.trueIds : form.falseIds)[node];
        if ((isTrue ? form.trueLeaves : form.falseLeaves)[node]) {
          result[child] = root;
        } else {
          open.push_back(child);
        }
      }
    }
  }
  return result;
}

SmallVector<std::optional<bool>> staticScores(const TreeForm &form, int64_t targets) {
  SmallVector<std::optional<bool>> known(targets, false);
  std::map<int64_t, int64_t> leavesOfRoot;
  std::map<std::pair<int64_t, int64_t>, int64_t> scored; // (root, target) -> leaves
  for (auto [leaf, root] : leafRoots(form)) {
    ++leavesOfRoot[root];
    std::set<int64_t> own(form.targets.begin() + form.leafStarts[leaf],
                          form.targets.begin() + form.leafStarts[leaf + 1]);
    for (int64_t target : own) {
      ++scored[{root, target}];
      known[target] = std::nullopt;
    }
  }
  for (auto [key, leaves] : scored) {
    if (leaves == leavesOfRoot[key.first]) {
      known[key.second] = true;
    }
  }
  return known;
}

Value scoredTargets(NodeContext &n, Value x, const TreeForm &form, int64_t targets) {
  SmallVector<std::optional<bool>> known = staticScores(form, targets);
  if (llvm::all_of(known, [](std::optional<bool> is) { return is.has_value(); })) {
    Tensor flags(ElementType::Bool, {1, targets});
    for (auto [i, is] : llvm::enumerate(known)) {
      flags.setInt(i, *is);
    }
    return n.constant(flags);
  }
  TreeForm ones = form;
  ones.weights.assign(form.weights.size(), 1);
  DictionaryAttr trees = treeAttributes(n, ones, targets, graph::TreeAggregate::Max);
  Value counts = n.emit<graph::TreeEnsembleOp>(x, trees);
  return n.binary(graph::BinaryKind::Greater, counts, n.scalarLike(counts, 0));
}

} // namespace convoy::import
