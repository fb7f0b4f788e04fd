// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small drawings for a page: points and steps over two axes, as SVG inside XHTML. Titles
// are shown by a browser when the mouse is on a point; nothing is loaded.

#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace convoy::tuning {

/// One of a drawing's directions.
struct Axis {
  std::string label;
  double low = 0, high = 1;
  bool isLogarithmic = false;
  /// Names at 0, 1, 2...; empty: numbers.
  std::vector<std::string> names;

  /// 0 at the low end, 1 at the high end.
  double place(double value) const;
};

class SvgChart {
public:
  struct Point {
    double x = 0, y = 0;
    std::string title;
    bool isMarked = false; // drawn in the colour of what counts
  };

  SvgChart(std::string id, Axis x, Axis y) : id(std::move(id)), x(std::move(x)), y(std::move(y)) {}

  void add(Point point) { points.push_back(std::move(point)); }
  /// A line through these, each value holding until the next when `isStep`.
  void addLine(std::vector<Point> line, bool isStep);

  void write(llvm::raw_ostream &os) const;
  /// What the classes of a drawing look like; for the page's head.
  static llvm::StringRef style();

private:
  struct Line {
    std::vector<Point> points;
    bool isStep;
  };
  double xOf(double value) const;
  double yOf(double value) const;
  void writeAxes(llvm::raw_ostream &os) const;

  std::string id;
  Axis x, y;
  std::vector<Point> points;
  std::vector<Line> lines;
};

} // namespace convoy::tuning
