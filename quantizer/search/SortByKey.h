// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorts a list by a number and keeps the order of equal elements, so that results do not depend on
// the sorting algorithm.

#pragma once

#include "llvm/ADT/STLExtras.h"
#include <utility>
#include <vector>

namespace convoy::quantizer {

/// Sorts by the number that `key` returns for an element, the smallest first.
template <typename Element, typename Key>
void sortByKey(std::vector<Element> &list, Key key) {
  std::vector<std::pair<double, size_t>> order;
  for (size_t i = 0; i < list.size(); ++i) {
    order.emplace_back(key(list[i]), i);
  }
  llvm::sort(order);
  std::vector<Element> sorted;
  for (const auto &[number, index] : order) {
    sorted.push_back(std::move(list[index]));
  }
  list = std::move(sorted);
}

} // namespace convoy::quantizer
