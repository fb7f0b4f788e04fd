// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text in columns, each as wide as its widest cell; numbers to the right.

#pragma once

#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace convoy::report {

class TextTable {
public:
  /// The first `leftColumns` and the last one are aligned to the left.
  TextTable(std::vector<std::string> header, size_t leftColumns)
      : rows{std::move(header)}, leftColumns(leftColumns) {}

  void add(std::vector<std::string> row) { rows.push_back(std::move(row)); }
  void print(llvm::raw_ostream &os) const;

private:
  std::vector<std::vector<std::string>> rows;
  size_t leftColumns;
};

} // namespace convoy::report
