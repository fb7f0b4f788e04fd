// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the import rows of all op families.

#include "Import/OpTable.h"
#include <algorithm>
#include <vector>

namespace convoy::import {

static std::vector<const OpRow *> collectRows() {
  std::vector<const OpRow *> rows;
  for (llvm::ArrayRef<OpRow> family : {activationRows(),    attentionRows(),
                                       blockWeightRows(),   collectionRows(),
                                       controlRows(),       convolutionRows(),
                                       elementwiseRows(),   fusedLayerRows(),
                                       generatorRows(),     groupQueryAttentionRows(),
                                       learningRows(),      lossRows(),
                                       matmulRows(),        multiHeadAttentionRows(),
                                       normalizationRows(), poolingRows(),
                                       qlinearRows(),       quantizationRows(),
                                       rearrangeRows(),     recurrentRows(),
                                       reductionRows(),     rotaryRows(),
                                       samplingRows(),      selectionRows(),
                                       signalRows(),        skipNormalizationRows(),
                                       tensorRows(),        textRows(),
                                       trainingRows(),      windowRows()}) {
    for (const OpRow &row : family) {
      rows.push_back(&row);
    }
  }
  std::sort(rows.begin(), rows.end(), [](const OpRow *a, const OpRow *b) {
    return std::pair(a->domain, a->name) < std::pair(b->domain, b->name);
  });
  return rows;
}

llvm::ArrayRef<const OpRow *> allOps() {
  static const std::vector<const OpRow *> kRows = collectRows();
  return kRows;
}

const OpRow *findOp(llvm::StringRef domain, llvm::StringRef name) {
  if (domain == "ai.onnx") {
    domain = "";
  }
  llvm::ArrayRef<const OpRow *> rows = allOps();
  auto it = std::lower_bound(
      rows.begin(), rows.end(), std::pair(domain, name), [](const OpRow *row, const auto &key) {
        return std::pair<llvm::StringRef, llvm::StringRef>(row->domain, row->name) < key;
      });
  bool isFound = it != rows.end() && (*it)->domain == domain && (*it)->name == name;
  return isFound ? *it : nullptr;
}

} // namespace convoy::import
