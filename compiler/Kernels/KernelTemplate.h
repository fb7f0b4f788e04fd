// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface of a kernel template: a way to generate the code of some kernels. The layout stage
// asks all templates for candidates, the tuner asks them for search spaces, and the kernels stage
// asks the template of a kernel to lower it. None of them names a template.
// docs/howto/add-kernel.md explains how to add a template.

#pragma once

#include "Graph/Graph.h"
#include "Kernels/Convolution/ConvProblem.h"
#include "Kernels/Machine.h"
#include "Kernels/Space.h"
#include "Task/Task.h"

namespace convoy::kernels {

/// A way to run a kernel.
struct Candidate {
  /// Layouts that the kernel expects of its operands and gives its results. Null is planar.
  llvm::SmallVector<mlir::Attribute> operands;
  mlir::Attribute result;
  /// The configuration of the template; null for the generic loops.
  mlir::Attribute config;
  /// Estimated cycles on one core.
  double cycles = 0;
};

/// Returns what a cost model chose as the only choice, with the main operand in layout `input`.
std::vector<ConfigChoice> choicesOf(const std::optional<ConfigChoice> &chosen,
                                    mlir::Attribute input);

/// The configurations of one template with the main operand in one layout.
struct LayoutSpace {
  Space space;
  mlir::Attribute input; // null is planar
};

/// A kernel on planar tensors, and the facts about it that several templates need.
struct KernelFacts {
  KernelFacts(graph::KernelOp kernel, bool isStrictMath);

  mlir::Block &body() const { return kernel->getRegion(0).front(); }
  mlir::MLIRContext *context() const { return kernel->getContext(); }
  /// Returns the number of the operand whose layout identifies a candidate: the input of a
  /// convolution, otherwise operand 0.
  unsigned mainOperand() const { return conv ? conv->input : 0; }

  mutable graph::KernelOp kernel; // mutable, because the accessors of ops are not const
  /// The convolution or product of the kernel, on floats or integers.
  std::optional<ConvKernel> conv;
  /// If `conv` is not set, the reason.
  std::string whyNotConv;
  /// Only algorithms that round like a plain sum are allowed.
  bool isStrictMath;
};

/// The result of KernelTemplate::matchGroup.
struct GroupMatch {
  /// The ops of the group in block order, without constants; empty if the template does not support
  /// them.
  llvm::SmallVector<mlir::Operation *> ops;
  /// Operands of the group whose last two dimensions the template reads faster in exchanged order.
  llvm::SmallVector<mlir::OpOperand *> transposed;
  /// The ops have the form of the template. If `ops` is empty, `reason` says why the template does
  /// not support them.
  bool isCandidate = false;
  std::string reason;
};

class KernelTemplate {
public:
  virtual ~KernelTemplate() = default;

  /// Returns the mnemonic of the configuration attribute. Records and reports identify the template
  /// by it.
  virtual llvm::StringRef id() const = 0;
  /// Returns the version of the generated code. Increment it when the same configuration generates
  /// different code; this invalidates older records.
  virtual int version() const = 0;
  /// Returns whether configurations depend on the number of channels per block. The tuner asks such
  /// a template for a space per block size, with the machine modeled with vectors of this size.
  virtual bool usesBlocks() const = 0;

  /// Returns the reason why the template does not support the kernel on the machine, or an empty
  /// string.
  virtual std::string whyNot(const KernelFacts &facts, const Machine &machine) const = 0;

  /// Returns the configurations with the lowest estimates, one per layout of the main operand.
  /// Returns nothing if whyNot gives a reason or if no configuration fits the cost model.
  virtual std::vector<ConfigChoice> choose(const KernelFacts &facts,
                                           const Machine &machine) const = 0;

  /// Returns the search spaces, one per layout of the main operand. The default is a space with a
  /// single point for each choice.
  virtual std::vector<LayoutSpace> spaces(const KernelFacts &facts, const Machine &machine) const;

  /// Fills all fields of `candidate` except its cycles for a configuration of this template and the
  /// main operand in layout `input`, and returns an empty string. If the kernel cannot run with the
  /// configuration, returns the reason. The configuration may come from a file.
  virtual std::string fit(const KernelFacts &facts, mlir::Attribute config, mlir::Attribute input,
                          Candidate &candidate) const = 0;

  /// Lowers a kernel function with a configuration of this template to loops on flat memory;
  /// KernelFunction.h declares the result.
  virtual mlir::LogicalResult lower(task::KernelOp function, mlir::Attribute config,
                                    const Machine &machine) const = 0;

  /// Matches the group that ends with `last` and the movement ops after it. The fusion stage asks a
  /// template whose groups have several main ops. The default matches nothing.
  virtual GroupMatch matchGroup(mlir::Operation *last) const;
  /// Returns a sentence about a kernel for reports, or an empty string (default).
  virtual std::string remark(graph::KernelOp kernel) const;

  /// Returns the candidates of the layout stage. The default is the choices that fit the kernel.
  virtual std::vector<Candidate> candidates(const KernelFacts &facts, const Machine &machine) const;
  /// Names this template in a search space.
  LayoutSpace named(Space space, mlir::Attribute input) const;
  /// Returns the reason why candidates() is empty, or an empty string.
  std::string whyNoCandidate(const KernelFacts &facts, const Machine &machine) const;
};

/// Returns the only object of a class of templates.
template <typename TemplateT>
const KernelTemplate &onlyObject() {
  static const TemplateT kTemplate;
  return kTemplate;
}

/// Returns all templates except the fallback, in the order of their candidates. CMake generates the
/// definition from the list of templates.
llvm::ArrayRef<const KernelTemplate *> templates();

/// Returns the generic loops, which support every kernel without a scan. Their configuration is
/// null.
const KernelTemplate &fallbackTemplate();

/// Returns the template with an id, or null. The fallback is not in the list.
const KernelTemplate *templateWithId(llvm::StringRef id);

/// Returns the template of a configuration, the fallback for a null configuration, or null if no
/// template has this configuration.
const KernelTemplate *templateOf(mlir::Attribute config);

/// Returns the id of the template of a configuration for reports: the mnemonic of the attribute, or
/// the id of the fallback for a null configuration.
llvm::StringRef templateId(mlir::Attribute config);

/// The reason of templates that need long vectors (Machine::hasLongVectors).
inline constexpr const char *kShortVectors = "the vectors of the target are shorter than 256 bytes";
static_assert(kLongVectorBytes == 256, "kShortVectors states this number");

/// The reason of templates that need byte ops (Machine::hasByteOps).
inline constexpr const char *kNoByteOps =
    "the target is not a microcontroller with plain loops, the only targets with byte ops";

/// Reports that a configuration does not fit its kernel, which the layout stage must prevent.
mlir::LogicalResult emitMisfit(mlir::Operation *kernel, mlir::Attribute config,
                               const std::string &reason);

/// Returns the text of a layout for messages.
std::string layoutText(mlir::Attribute layout);

} // namespace convoy::kernels
