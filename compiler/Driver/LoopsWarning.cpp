// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compile records no reasons, so the warning compiles the model again up to the kernels. Models
// without a warning do not pay for it.

#include "Driver/LoopsWarning.h"
#include "Driver/ExplainKernels.h"
#include "Driver/NearestTemplate.h"
#include "Import/Import.h"
#include "Import/OnnxProto.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace convoy::driver {
namespace {

constexpr size_t kShownKernels = 2;

/// Returns whether no template supports the kernel. Loops that are estimated faster than a template
/// are no gap, for example those of very small products.
bool lacksTemplate(const KernelReport &kernel) {
  return kernel.isGenericLoops() &&
         llvm::none_of(kernel.refusals, [](const TemplateRefusal &refusal) {
           return distanceOf(refusal) == TemplateDistance::Slower;
         });
}

/// Returns the share of kernels without a template in the predicted time.
double gapShare(const CompileReport &report) {
  double gaps = 0, all = 0;
  for (const KernelReport &kernel : report.kernels) {
    all += kernel.predictedNs;
    gaps += lacksTemplate(kernel) ? kernel.predictedNs : 0;
  }
  return all > 0 ? gaps / all : 0;
}

/// Returns the kernels without a template, slowest first, with their reasons.
std::string reasonsText(const CompileReport &report) {
  std::vector<const KernelReport *> loops;
  for (const KernelReport &kernel : report.kernels) {
    if (lacksTemplate(kernel)) {
      loops.push_back(&kernel);
    }
  }
  // A kernel comes before later kernels of the same time.
  llvm::sort(loops, [](const KernelReport *a, const KernelReport *b) {
    return std::pair(-a->predictedNs, a) < std::pair(-b->predictedNs, b);
  });
  std::vector<std::string> texts;
  for (const KernelReport *kernel : llvm::ArrayRef(loops).take_front(kShownKernels)) {
    const TemplateRefusal *refusal = nearestTemplate(*kernel);
    texts.push_back(kernel->nodes + ": " +
                    (refusal ? refusal->templateId + ": " + refusal->reason
                             : std::string("no template has these ops")));
  }
  return llvm::join(texts, "; ");
}

bool isQuantized(const Model &model) {
  return llvm::any_of(model.file().proto->graph().node(), [](const onnx::NodeProto &node) {
    return node.op_type() == "DequantizeLinear" ||
           llvm::StringRef(node.op_type()).starts_with("QLinear");
  });
}

} // namespace

std::string loopsWarning(const Model &model, const CompileRequest &request,
                         const CompileReport &report) {
  const GenericLoops &loops = report.genericLoops;
  bool hasDevice = !report.placement.device.empty();
  if (hasDevice || loops.share() <= kMostLoops || report.flops == 0) {
    return "";
  }
  Result<CompileReport> explained = explainKernels(model, request);
  if (explained && gapShare(*explained) <= kMostLoops) {
    return "";
  }
  std::string target = request.target.name;
  std::string text = llvm::formatv("generic loops take {0:f0} % of the predicted time on {1} ({2} "
                                   "of {3} kernels)",
                                   100 * loops.share(), target, loops.kernels, loops.allKernels);
  if (explained) {
    text += ": " + reasonsText(*explained);
  }
  text += "; `convoy explain --target=" + target + "` lists all reasons";
  if (isQuantized(model)) {
    text += "; if the model is quantized for another target, quantize the float model with "
            "`convoy quantize --target=" +
            target + "`";
  }
  return text;
}

} // namespace convoy::driver
