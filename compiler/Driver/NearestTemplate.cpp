// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A template words its reason in whyNot (compiler/Kernels). compiler/Layout/test/refusals_test.cpp
// checks the words, and test/nearest_template_test.cpp that this file recognizes them.

#include "Driver/NearestTemplate.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include <map>

namespace convoy::driver {
namespace {

/// The beginning or a part of a reason, and what it says.
struct Words {
  llvm::StringLiteral text;
  TemplateDistance distance;
};

// The first match decides; a reason without a match is about the operands.
constexpr Words kBeginnings[] = {
    {"estimated slower", TemplateDistance::Slower},
    {"slower by ", TemplateDistance::Slower},
    {"the kernel is not ", TemplateDistance::Ops},
    {"the kernel has no ", TemplateDistance::Ops},
    {"the kernel is a transposed convolution", TemplateDistance::Ops},
    {"the kernel computes with ", TemplateDistance::Types},
    {"the kernel does not compute with ", TemplateDistance::Types},
    {"the kernel has inputs or weights that are not ", TemplateDistance::Types},
    {"the second operand of the product is not a matrix with a scale ", TemplateDistance::Types},
    {"the input has 16 bits", TemplateDistance::Types},
    {"the vectors of the target ", TemplateDistance::Target},
    {"the target ", TemplateDistance::Target},
};

/// A part of a reason and the remedy. `%T` is the target.
struct Remedy {
  llvm::StringLiteral part, text;
};

constexpr Remedy kRemedies[] = {
    {"slower", "none needed; `convoy tune` measures the template and the generic loops"},
    {"computed at run time",
     "if the operand never changes, make it a constant with --const NAME=FILE"},
    {"is not constant", "if the operand never changes, make it a constant with --const NAME=FILE"},
    {"does not multiply f32, f16 or bf16", "convert the model to f32, f16 or bf16"},
    {"the template expects two matrices",
     "reshape the operands of the product to two dimensions in the model"},
    {"the batch has ", "compile for one image, for example with --dim batch=1"},
    {"the template expects one image", "compile for one image, for example with --dim batch=1"},
    {"that are not i8", "quantize the float model with `convoy quantize --target=%T`"},
    {"the template expects 8-bit integers",
     "quantize the float model with `convoy quantize --target=%T`"},
    {"can exceed 31 bits", "quantize the float model with `convoy quantize --target=%T`"},
    {"the kernel shifts by ", "quantize the float model with `convoy quantize --target=%T`"},
    {"no instruction for dot products",
     "use the float model, or a target with dot products of bytes"},
    {"--math=strict", "compile with --math=fast, which rounds in another way"},
    {"with strict math", "compile with --math=fast, which rounds in another way"},
};

constexpr llvm::StringLiteral kOtherOps =
    "none; no template computes these ops, so the generic loops are the only implementation";
constexpr llvm::StringLiteral kNoFlag = "none by a flag; docs/howto/add-kernel.md adds a template";

} // namespace

TemplateDistance distanceOf(const TemplateRefusal &refusal) {
  llvm::StringRef reason = refusal.reason;
  const Words *found = llvm::find_if(
      kBeginnings, [&](const Words &words) { return reason.starts_with(words.text); });
  return found == std::end(kBeginnings) ? TemplateDistance::Operands : found->distance;
}

void sortRefusals(CompileReport &report) {
  for (KernelReport &kernel : report.kernels) {
    std::map<std::string, size_t> templates; // by reason
    for (const TemplateRefusal &refusal : kernel.refusals) {
      ++templates[refusal.reason];
    }
    // A reason of many templates is about the kind of kernel and not about this kernel.
    std::map<std::pair<TemplateDistance, size_t>, std::vector<TemplateRefusal>> byDistance;
    for (TemplateRefusal &refusal : kernel.refusals) {
      std::pair distance(distanceOf(refusal), templates[refusal.reason]);
      byDistance[distance].push_back(std::move(refusal));
    }
    kernel.refusals.clear();
    for (auto &[distance, refusals] : byDistance) {
      llvm::append_range(kernel.refusals, refusals);
    }
  }
}

const TemplateRefusal *nearestTemplate(const KernelReport &kernel) {
  bool hasNone =
      kernel.refusals.empty() || distanceOf(kernel.refusals.front()) == TemplateDistance::Ops;
  return hasNone ? nullptr : &kernel.refusals.front();
}

std::string remedyFor(const KernelReport &kernel, const std::string &target) {
  const TemplateRefusal *nearest = nearestTemplate(kernel);
  if (!nearest) {
    return kOtherOps.str();
  }
  const Remedy *found = llvm::find_if(kRemedies, [&](const Remedy &remedy) {
    return llvm::StringRef(nearest->reason).contains(remedy.part);
  });
  std::string text = found == std::end(kRemedies) ? kNoFlag.str() : found->text.str();
  size_t at = text.find("%T");
  return at == std::string::npos ? text : text.replace(at, 2, target);
}

} // namespace convoy::driver
