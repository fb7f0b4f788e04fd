// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text tables of all tools. Each column is as wide as its widest cell.

#pragma once

#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace convoy {

enum class ColumnKind {
  Text,   ///< aligned to the left
  Number, ///< aligned to the right
};

struct Column {
  std::string title;
  ColumnKind kind = ColumnKind::Text;
};

class TextTable {
public:
  explicit TextTable(std::vector<Column> columns) : columns(std::move(columns)) {}

  /// Adds a row. Missing cells at the end of the row are empty.
  void add(std::vector<std::string> cells) { rows.push_back({std::move(cells), ""}); }
  /// Adds a row whose last columns are replaced by a text of any width.
  void addWithText(std::vector<std::string> cells, std::string text) {
    rows.push_back({std::move(cells), std::move(text)});
  }

  /// Prints the titles, if there are any, and the rows, each line behind `indent`.
  void print(llvm::raw_ostream &os, llvm::StringRef indent = "") const;

private:
  struct Row {
    std::vector<std::string> cells;
    std::string text; // behind the cells
  };

  std::string lineOf(const Row &row, const std::vector<size_t> &widths) const;

  std::vector<Column> columns;
  std::vector<Row> rows;
};

} // namespace convoy
