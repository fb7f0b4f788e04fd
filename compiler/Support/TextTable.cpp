// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two spaces separate columns; no line ends in spaces. Widths count code points, because
// names of nodes are UTF-8.

#include "Support/TextTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>

namespace convoy {
namespace {

/// Counts the bytes that begin a code point.
size_t widthOf(llvm::StringRef text) {
  return llvm::count_if(text,
                        [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

} // namespace

std::string TextTable::lineOf(const Row &row, const std::vector<size_t> &widths) const {
  std::string line;
  for (size_t i = 0; i < row.cells.size(); ++i) {
    std::string padding(widths[i] - widthOf(row.cells[i]), ' ');
    line += i == 0 ? "" : "  ";
    line += columns[i].kind == ColumnKind::Text ? row.cells[i] + padding : padding + row.cells[i];
  }
  if (!row.text.empty()) {
    line += (row.cells.empty() ? "" : "  ") + row.text;
  }
  return line;
}

void TextTable::print(llvm::raw_ostream &os, llvm::StringRef indent) const {
  Row titles;
  std::vector<size_t> widths;
  for (const Column &column : columns) {
    titles.cells.push_back(column.title);
    widths.push_back(widthOf(column.title));
  }
  for (const Row &row : rows) {
    for (size_t i = 0; i < row.cells.size(); ++i) {
      widths[i] = std::max(widths[i], widthOf(row.cells[i]));
    }
  }
  auto printRow = [&](const Row &row) {
    os << llvm::StringRef(indent.str() + lineOf(row, widths)).rtrim(' ') << "\n";
  };
  if (llvm::any_of(columns, [](const Column &column) { return !column.title.empty(); })) {
    printRow(titles);
  }
  llvm::for_each(rows, printRow);
}

} // namespace convoy
