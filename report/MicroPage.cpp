// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws a build for a microcontroller as an HTML page with SVG and no script. The picture of the
// arena has one column per layer and one rectangle per tensor:
//
//   address
//     |  [ conv_0 ]
//     |           [ conv_2 ]
//     |     [ pool_1  ]
//     +---------------------- layers

#include "Support/Page.h"
#include "report/MicroBuild.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace convoy::report {
namespace {

constexpr int kLeft = 80, kTop = 10, kBottom = 30, kHeight = 440;
constexpr int kPictureWidth = 1100, kMostColumnWidth = 90, kLeastColumnWidth = 12;
constexpr int kLetterWidth = 7;
// Colors that stay distinct in print and for most color-blind readers.
constexpr const char *kColors[] = {"#3b6fb6", "#d9822b", "#4c9f70", "#8a63a9", "#b6584f"};
constexpr const char *kInputColor = "#8a8a8a";

class ArenaPicture {
public:
  explicit ArenaPicture(const MicroBuild &build) : build(build) {
    int layers = std::max<int>(1, static_cast<int>(build.layers.size()));
    column = std::clamp(kPictureWidth / layers, kLeastColumnWidth, kMostColumnWidth);
    width = kLeft + column * layers + 10;
  }

  std::string draw() const {
    std::string svg =
        llvm::formatv("<svg xmlns='http://www.w3.org/2000/svg' width='{0}' height='{1}' "
                      "font-family='sans-serif' font-size='11'>\n",
                      width, kTop + kHeight + kBottom)
            .str();
    svg += axes();
    for (const MicroTensor &tensor : build.tensors) {
      svg += rectangle(tensor);
    }
    return svg + "</svg>\n";
  }

private:
  int xOf(int64_t layer) const { return kLeft + static_cast<int>(layer) * column; }
  double yOf(int64_t address) const {
    double share = build.arenaBytes > 0
                       ? static_cast<double>(address) / static_cast<double>(build.arenaBytes)
                       : 0;
    return kTop + kHeight * (1 - share);
  }

  std::string axes() const {
    std::string svg;
    for (int quarter = 0; quarter <= 4; ++quarter) {
      int64_t address = build.arenaBytes * quarter / 4;
      svg +=
          llvm::formatv("<line x1='{0}' y1='{1:f1}' x2='{2}' y2='{1:f1}' stroke='#ccc'/>"
                        "<text x='{3}' y='{4:f1}' text-anchor='end'>{5}</text>\n",
                        kLeft, yOf(address), width, kLeft - 6, yOf(address) + 4, grouped(address))
              .str();
    }
    for (size_t layer = 0; layer < build.layers.size(); ++layer) {
      auto at = static_cast<int64_t>(layer);
      svg += llvm::formatv("<text x='{0}' y='{1}' text-anchor='middle'>{2}<title>{3}</title>"
                           "</text>\n",
                           xOf(at) + column / 2, kTop + kHeight + 16, layer,
                           htmlText(build.layers[layer].key()))
                 .str();
    }
    return svg;
  }

  std::string rectangle(const MicroTensor &tensor) const {
    int x = xOf(tensor.first), right = xOf(tensor.last + 1);
    double y = yOf(tensor.offset + tensor.bytes), bottom = yOf(tensor.offset);
    const char *color = tensor.layer < 0
                            ? kInputColor
                            : kColors[static_cast<size_t>(tensor.layer) % std::size(kColors)];
    std::string name = build.nameOf(tensor);
    std::string about = name + ": " + grouped(tensor.bytes) + " bytes at " +
                        grouped(tensor.offset) + ", layers " + std::to_string(tensor.first) +
                        " to " + std::to_string(tensor.last);
    std::string svg =
        llvm::formatv("<rect x='{0}' y='{1:f1}' width='{2}' height='{3:f1}' fill='{4}' "
                      "fill-opacity='0.75' stroke='#fff'><title>{5}</title></rect>",
                      x + 1, y, right - x - 2, std::max(bottom - y, 1.0), color, htmlText(about))
            .str();
    bool hasRoom =
        bottom - y >= 14 && right - x >= kLetterWidth * static_cast<int>(name.size()) + 4;
    if (hasRoom) {
      svg += llvm::formatv("<text x='{0}' y='{1:f1}' fill='#fff' pointer-events='none'>{2}</text>",
                           x + 5, (y + bottom) / 2 + 4, htmlText(name))
                 .str();
    }
    return svg + "\n";
  }

  const MicroBuild &build;
  int column = 0, width = 0;
};

std::string cell(const std::string &text) { return "<td>" + htmlText(text) + "</td>"; }
std::string leftCell(const std::string &text) {
  return "<td class='l'>" + htmlText(text) + "</td>";
}

std::string totals(const MicroBuild &build) {
  std::string html = "<table>\n<tr><th class='l'>total</th><th>bytes</th></tr>\n";
  auto row = [&](const char *name, int64_t bytes) {
    html += "<tr>" + leftCell(name) + cell(grouped(bytes)) + "</tr>\n";
  };
  row("weights", build.storedWeightsBytes());
  if (build.isLinked()) {
    row("code", build.codeBytes);
    row("other constants and data", build.otherBytes());
    row("flash", build.flashBytes);
  }
  row("arena", build.arenaBytes);
  row("inputs and outputs outside of the arena", build.inputBytes + build.outputBytes);
  if (build.isLinked()) {
    row("stack", build.stackBytes);
    row("RAM", build.ramBytes);
  }
  return html + "</table>\n";
}

std::string layerTable(const MicroBuild &build) {
  std::string html = "<table>\n<tr><th>layer</th><th>instructions</th><th>MACs</th>"
                     "<th>weights</th><th>offset</th><th>bytes</th><th>in use</th>"
                     "<th class='l'>kernel</th><th class='l'>nodes</th></tr>\n";
  for (auto [index, layer] : llvm::enumerate(build.layers)) {
    html += "<tr>" + cell(std::to_string(index)) + cell(grouped(layer.instructions)) +
            cell(grouped(layer.multiplyAdds)) + cell(grouped(layer.weightsBytes));
    const MicroTensor *result = build.resultOf(index);
    html += cell(result ? grouped(result->offset) : "") +
            cell(result ? grouped(result->bytes) : "") +
            cell(result ? std::to_string(result->first) + "-" + std::to_string(result->last) : "");
    html += leftCell(layer.kernel) + leftCell(layer.nodes) + "</tr>\n";
  }
  return html + "</table>\n";
}

} // namespace

std::string drawPage(const MicroBuild &build) {
  std::string title = build.model + " on " + build.target;
  auto [bytes, layer] = build.highest();
  std::string html =
      pageHead(title) + "<h1>" + htmlText(title) + "</h1>\n<p>" + grouped(build.instructions) +
      " instructions of one run, " +
      (build.isCounted ? "counted by the emulator" : "estimated from the kernels") + "; " +
      grouped(build.multiplyAdds()) + " multiply-adds.</p>\n" + totals(build) +
      "<h2>Arena</h2>\n<p>Each column is a layer, each rectangle a tensor from the first to the "
      "last layer that uses it. The height is the address in bytes.";
  if (bytes > 0) {
    html += " Layer " + std::to_string(layer) + ", " + htmlText(build.layers[layer].key()) +
            ", uses the highest address, " + grouped(bytes) + ".";
  }
  return html + "</p>\n" + ArenaPicture(build).draw() + "<h2>Layers</h2>\n" + layerTable(build) +
         pageTail();
}

} // namespace convoy::report
