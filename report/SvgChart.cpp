// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes charts as SVG elements.

#include "report/SvgChart.h"
#include "Support/Page.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <cmath>

namespace convoy::report {
namespace {

// All lengths are in pixels.
constexpr double kLeft = 58, kRight = 12, kTop = 8, kBottom = 36;
constexpr double kWidth = 360, kHeight = 170;
constexpr double kDot = 2.2;
constexpr int kTicks = 4;

std::string numberText(double value) {
  double size = std::abs(value);
  return llvm::formatv(size >= 100 || size == std::floor(size) ? "{0:F0}"
                       : size >= 1                             ? "{0:F1}"
                                                               : "{0:F3}",
                       value)
      .str();
}

/// Shortens a name. The title of the point contains the whole name.
std::string shortName(llvm::StringRef name) {
  constexpr size_t kLongest = 14;
  return name.size() <= kLongest ? name.str() : name.take_front(kLongest - 1).str() + "~";
}

} // namespace

double Axis::place(double value) const {
  double at = isLogarithmic ? std::log(value / low) : value - low;
  double range = isLogarithmic ? std::log(high / low) : high - low;
  return range > 0 ? std::clamp(at / range, 0.0, 1.0) : 0.5;
}

void SvgChart::addLine(std::vector<Point> line, bool isStep) {
  lines.push_back({std::move(line), isStep});
}

double SvgChart::xOf(double value) const { return kLeft + x.place(value) * kWidth; }
double SvgChart::yOf(double value) const { return kTop + (1 - y.place(value)) * kHeight; }

void SvgChart::writeAxes(llvm::raw_ostream &os) const {
  auto valueAt = [](const Axis &axis, double share) {
    return axis.isLogarithmic ? axis.low * std::pow(axis.high / axis.low, share)
                              : axis.low + share * (axis.high - axis.low);
  };
  for (int i = 0; i <= kTicks; ++i) {
    double share = static_cast<double>(i) / kTicks;
    double value = valueAt(y, share);
    os << llvm::formatv("<line x1=\"{0}\" y1=\"{1:F1}\" x2=\"{2}\" y2=\"{1:F1}\"/>"
                        "<text class=\"y\" x=\"{3}\" y=\"{4:F1}\">{5}</text>\n",
                        kLeft, yOf(value), kLeft + kWidth, kLeft - 4, yOf(value) + 4,
                        numberText(value));
    if (x.names.empty()) {
      double number = valueAt(x, share);
      os << llvm::formatv("<text class=\"x\" x=\"{0:F1}\" y=\"{1}\">{2}</text>\n", xOf(number),
                          kTop + kHeight + 14, numberText(number));
    }
  }
  for (auto [i, name] : llvm::enumerate(x.names)) {
    os << llvm::formatv("<text class=\"x\" x=\"{0:F1}\" y=\"{1}\">{2}</text>\n",
                        xOf(static_cast<double>(i)), kTop + kHeight + 14,
                        htmlText(shortName(name)));
  }
  os << llvm::formatv("<text class=\"x\" x=\"{0}\" y=\"{1}\">{2}</text>\n", kLeft + kWidth / 2,
                      kTop + kHeight + 30, htmlText(x.label))
     << llvm::formatv("<text class=\"x\" transform=\"translate(11 {0}) rotate(-90)\">{1}</text>\n",
                      kTop + kHeight / 2, htmlText(y.label));
}

void SvgChart::write(llvm::raw_ostream &os) const {
  os << llvm::formatv("<svg id=\"{0}\" xmlns=\"http://www.w3.org/2000/svg\" width=\"{1}\" "
                      "height=\"{2}\">\n",
                      htmlText(id), kLeft + kWidth + kRight, kTop + kHeight + kBottom);
  writeAxes(os);
  for (const Line &line : lines) {
    os << "<polyline points=\"";
    double lastY = 0;
    for (auto [i, point] : llvm::enumerate(line.points)) {
      if (line.isStep && i > 0) {
        os << llvm::formatv("{0:F1},{1:F1} ", xOf(point.x), lastY);
      }
      lastY = yOf(point.y);
      os << llvm::formatv("{0:F1},{1:F1} ", xOf(point.x), lastY);
    }
    os << "\"/>\n";
  }
  for (const Point &point : points) {
    os << llvm::formatv("<circle{0} cx=\"{1:F1}\" cy=\"{2:F1}\" r=\"{3}\"><title>{4}</title>"
                        "</circle>\n",
                        point.isMarked ? " class=\"m\"" : "", xOf(point.x), yOf(point.y), kDot,
                        htmlText(point.title));
  }
  os << "</svg>\n";
}

llvm::StringRef SvgChart::style() {
  return "line{stroke:#ddd;stroke-width:1}polyline{fill:none;stroke:#e07b39;stroke-width:1.6}"
         "circle{fill:#7aa6d8}circle.m{fill:#e07b39}text{font-size:11px}text.x{text-anchor:middle}"
         "text.y{text-anchor:end}";
}

} // namespace convoy::report
