// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the dependency graph as SVG:
//
//   CONV      SDP       PDP
//   [0] ----> [1]                solid: notifies on completion
//               \----> [2]       dotted: notifies when programmed
//   [3] <- - - [4]               dashed: fused child to parent

#include "Accelerators/NVDLA/Inspect/InspectLoadable.h"
#include "Support/Page.h"
#include "llvm/ADT/STLExtras.h"

namespace convoy::nvdla {
namespace {

constexpr int kColumn = 150, kRow = 56, kBoxWidth = 96, kBoxHeight = 30, kMargin = 20;

struct Point {
  int x, y;
};

Point boxAt(const HardwareOp &op, size_t index, int top) {
  return {kMargin + int(op.engine()) * kColumn, top + int(index) * kRow};
}

void printEdge(llvm::raw_ostream &os, Point from, Point to, const char *style,
               llvm::StringRef title) {
  // An edge runs sideways between columns, and around the right side within a column.
  bool isSame = from.x == to.x, isRight = to.x > from.x;
  int x1 = isSame || isRight ? from.x + kBoxWidth : from.x;
  int x2 = isSame ? to.x + kBoxWidth : isRight ? to.x : to.x + kBoxWidth;
  int bend = isSame ? 24 : isRight ? 30 : -30;
  int y1 = from.y + kBoxHeight / 2, y2 = to.y + kBoxHeight / 2;
  os << "<path d=\"M" << x1 << " " << y1 << " C" << x1 + bend << " " << y1 << " "
     << (isSame ? x2 + bend : x2 - bend) << " " << y2 << " " << x2 << " " << y2
     << "\" fill=\"none\" " << style << " marker-end=\"url(#arrow)\"><title>" << title
     << "</title></path>\n";
}

const char *styleOf(uint8_t event) {
  switch (OpEvent(event)) {
  case OpEvent::Programmed:
    return "stroke=\"#888\" stroke-dasharray=\"2 3\"";
  case OpEvent::Enabled:
    return "stroke=\"#b60\" stroke-dasharray=\"6 3\"";
  default:
    return "stroke=\"#036\"";
  }
}

void printBoxes(llvm::raw_ostream &os, const DlaTask &task, int top) {
  for (auto [index, op] : llvm::enumerate(task.ops)) {
    Point at = boxAt(op, index, top);
    os << "<g><title>" << htmlText(describeOp(op)) << "</title><rect x=\"" << at.x << "\" y=\""
       << at.y << "\" width=\"" << kBoxWidth << "\" height=\"" << kBoxHeight
       << "\" rx=\"4\" fill=\"#eef\" stroke=\"#336\"/><text x=\"" << at.x + 8 << "\" y=\""
       << at.y + 20 << "\">" << index << " " << engineName(op.engine()) << " ("
       << unsigned(op.dependency.dependencies) << ")</text></g>\n";
  }
}

void printEdges(llvm::raw_ostream &os, const DlaTask &task, int top) {
  auto edge = [&](size_t index, const HardwareOp &op, const Consumer &consumer) {
    if (consumer.index < 0 || size_t(consumer.index) >= task.ops.size()) {
      return;
    }
    const HardwareOp &target = task.ops[consumer.index];
    printEdge(os, boxAt(op, index, top), boxAt(target, consumer.index, top),
              styleOf(consumer.event), eventName(consumer.event));
  };
  for (auto [index, op] : llvm::enumerate(task.ops)) {
    for (const Consumer &consumer : op.dependency.consumers) {
      edge(index, op, consumer);
    }
    edge(index, op, op.dependency.fusedParent);
  }
}

} // namespace

void printDependencySvg(llvm::raw_ostream &os, const InspectedLoadable &inspected) {
  int height = kMargin;
  for (const InspectedTask &task : inspected.tasks) {
    height += kRow + int(task.dla.ops.size()) * kRow;
  }
  os << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\""
     << 2 * kMargin + int(kEngineCount) * kColumn << "\" height=\"" << height
     << "\" font-family=\"sans-serif\" font-size=\"13\">\n"
     << "<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" "
        "markerHeight=\"8\" orient=\"auto\"><path d=\"M0 0 L8 4 L0 8 z\" fill=\"#444\"/></marker>"
        "</defs>\n";
  int top = kMargin;
  for (const InspectedTask &task : inspected.tasks) {
    os << "<text x=\"" << kMargin << "\" y=\"" << top + 14 << "\" font-weight=\"bold\">task "
       << task.id << (task.interface == Interface::Emulator ? " on the host" : "") << "</text>\n";
    top += kRow;
    printEdges(os, task.dla, top);
    printBoxes(os, task.dla, top);
    top += int(task.dla.ops.size()) * kRow;
  }
  os << "</svg>\n";
}

} // namespace convoy::nvdla
