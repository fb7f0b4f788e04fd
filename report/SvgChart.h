// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws points and step lines over two axes, as SVG inside XHTML. A browser shows the title of
// a point under the mouse. The page loads no other files.

#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace convoy::report {

/// An axis of a chart.
struct Axis {
  std::string label;
  double low = 0, high = 1;
  bool isLogarithmic = false;
  /// The names at 0, 1, 2...; empty: the axis shows numbers.
  std::vector<std::string> names;

  /// Returns 0 at the low end and 1 at the high end.
  double place(double value) const;
};

class SvgChart {
public:
  struct Point {
    double x = 0, y = 0;
    std::string title;
    bool isMarked = false; // drawn in the highlight color
  };

  SvgChart(std::string id, Axis x, Axis y) : id(std::move(id)), x(std::move(x)), y(std::move(y)) {}

  void add(Point point) { points.push_back(std::move(point)); }
  /// Adds a line. If `isStep`, each value holds until the next point.
  void addLine(std::vector<Point> line, bool isStep);

  void write(llvm::raw_ostream &os) const;
  /// Returns the style sheet for the head of the page.
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

} // namespace convoy::report
