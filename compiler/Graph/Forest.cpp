// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the attributes of graph.tree_ensemble.

#include "Graph/Forest.h"
#include <cmath>

using namespace mlir;

namespace convoy::graph {

/// Reads the sets of Member nodes. The list concatenates the sets and ends each
/// set with a NaN.
static std::vector<std::vector<double>> readMembers(ArrayRef<double> modes,
                                                    ArrayRef<double> values) {
  std::vector<std::vector<double>> members(modes.size());
  size_t at = 0;
  for (size_t i = 0; i < modes.size(); ++i) {
    if (modes[i] != static_cast<double>(TreeMode::Member)) {
      continue;
    }
    for (; at < values.size() && !std::isnan(values[at]); ++at) {
      members[i].push_back(values[at]);
    }
    ++at;
  }
  return members;
}

std::optional<Forest> readForest(TreeEnsembleOp op) {
  DictionaryAttr trees = op.getTrees();
  bool isWhole = true;
  auto ints = [&](StringRef name) -> ArrayRef<int64_t> {
    auto list = trees.getAs<DenseI64ArrayAttr>(name);
    isWhole &= static_cast<bool>(list);
    return list ? list.asArrayRef() : ArrayRef<int64_t>();
  };
  auto doubles = [&](StringRef name) -> ArrayRef<double> {
    auto list = trees.getAs<DenseF64ArrayAttr>(name);
    isWhole &= static_cast<bool>(list);
    return list ? list.asArrayRef() : ArrayRef<double>();
  };
  auto number = [&](StringRef name) -> int64_t {
    auto value = trees.getAs<IntegerAttr>(name);
    isWhole &= static_cast<bool>(value);
    return value ? value.getInt() : 0;
  };
  Forest forest{ints("nodes_featureids"),
                ints("nodes_truenodeids"),
                ints("nodes_falsenodeids"),
                ints("nodes_trueleafs"),
                ints("nodes_falseleafs"),
                ints("nodes_missing_value_tracks_true"),
                ints("leaf_targetids"),
                ints("tree_roots"),
                doubles("nodes_splits"),
                doubles("nodes_modes"),
                doubles("leaf_weights"),
                {},
                {}};
  forest.members = readMembers(forest.modes, doubles("membership_values"));
  forest.targetCount = number("n_targets");
  forest.aggregate = static_cast<TreeAggregate>(number("aggregate_function"));
  forest.postTransform = static_cast<TreePostTransform>(number("post_transform"));
  if (auto starts = trees.getAs<DenseI64ArrayAttr>("leaf_starts")) {
    forest.leafStarts = starts.asArrayRef();
    isWhole &= !forest.leafStarts.empty() && llvm::is_sorted(forest.leafStarts) &&
               forest.leafStarts.front() == 0 &&
               forest.leafStarts.back() == static_cast<int64_t>(forest.targets.size());
  }
  size_t nodes = forest.features.size();
  for (size_t count : {forest.trueIds.size(), forest.falseIds.size(), forest.trueLeaves.size(),
                       forest.falseLeaves.size(), forest.missingTracksTrue.size(),
                       forest.splits.size(), forest.modes.size()}) {
    isWhole &= count == nodes;
  }
  isWhole &= forest.targets.size() == forest.weights.size();
  return isWhole ? std::optional<Forest>(std::move(forest)) : std::nullopt;
}

} // namespace convoy::graph
