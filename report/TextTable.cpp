// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lays out a table.

#include "report/TextTable.h"
#include <algorithm>

namespace convoy::report {

void TextTable::print(llvm::raw_ostream &os) const {
  std::vector<size_t> widths(rows[0].size());
  for (const std::vector<std::string> &row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  for (const std::vector<std::string> &row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      bool isLeft = i < leftColumns || i + 1 == row.size();
      std::string padding(widths[i] - row[i].size(), ' ');
      line += (i == 0 ? "" : "  ") + (isLeft ? row[i] + padding : padding + row[i]);
    }
    os << llvm::StringRef(line).rtrim() << "\n";
  }
}

} // namespace convoy::report
