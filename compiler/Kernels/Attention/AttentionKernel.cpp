// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matches a kernel that is one attention, and describes it for `convoy explain` and for remarks.

#include "Kernels/Attention/AttentionProblem.h"
#include "Kernels/Attributes.h"

using namespace mlir;
using convoy::graph::BinaryKind;
using convoy::graph::UnaryKind;

namespace convoy::kernels {

AttentionMatch matchAttentionKernel(Block &body) {
  graph::MatMulOp last;
  int64_t count = 0;
  for (Operation &op : body.without_terminator()) {
    count += isa<graph::ConstantOp>(op) ? 0 : 1;
    last = isa<graph::MatMulOp>(op) ? cast<graph::MatMulOp>(op) : last;
  }
  AttentionMatch match;
  if (!last) {
    match.reason = "the kernel has no softmax between two products";
    return match;
  }
  match = matchAttention(last);
  Operation *end = body.getTerminator();
  if (match.problem &&
      (static_cast<int64_t>(match.problem->ops.size()) != count || end->getNumOperands() != 1 ||
       end->getOperand(0) != match.problem->output)) {
    match.problem.reset();
    match.reason = "the kernel contains more than one attention";
  }
  return match;
}

/// Returns the kinds of the ops between the products.
static std::string scoreOpsText(const AttentionProblem &p) {
  bool hasCap = false, hasBias = false, hasSelect = false;
  for (Operation *op : p.ops) {
    auto unary = dyn_cast<graph::UnaryOp>(op);
    auto binary = dyn_cast<graph::BinaryOp>(op);
    hasCap |= unary && unary.getKind() == UnaryKind::Tanh;
    hasBias |= binary && binary.getKind() == BinaryKind::Add;
    hasSelect |= isa<graph::SelectOp>(op);
  }
  return std::string(hasCap ? ", softcap" : "") + (hasBias ? ", additive mask" : "") +
         (hasSelect ? ", boolean mask" : "");
}

static std::string attentionText(const AttentionProblem &p) {
  auto counted = [](int64_t count, const std::string &noun) {
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
  };
  int64_t heads = p.lead.empty() ? 1 : p.lead.back();
  std::string text = "attention: ";
  if (p.heads() != heads) {
    text += counted(p.heads() / heads, "batch element") + ", ";
  }
  text += counted(heads, "head");
  bool isGrouped = llvm::any_of(p.key.view.dims().drop_back(2), [](const ViewDim &dim) {
    return dim.size() > 1 && dim.back().stride == 0;
  });
  text += isGrouped ? " in groups" : "";
  text += ", " + (p.queries == 1 ? std::string("1 query") : std::to_string(p.queries) + " queries");
  text += ", " + counted(p.keys, "key") + ", head size " + std::to_string(p.headSize);
  if (p.valueSize != p.headSize) {
    text += ", value size " + std::to_string(p.valueSize);
  }
  return text + scoreOpsText(p);
}

std::string attentionRemark(graph::KernelOp kernel) {
  Block &body = kernel.getBody().front();
  AttentionMatch match = matchAttentionKernel(body);
  if (match.problem) {
    return attentionText(*match.problem);
  }
  for (Operation &op : body) {
    if (auto reason = op.getAttrOfType<StringAttr>(kWhyNotAttentionAttr)) {
      return "a softmax between two products is not one kernel: " + reason.str();
    }
  }
  return "";
}

} // namespace convoy::kernels
