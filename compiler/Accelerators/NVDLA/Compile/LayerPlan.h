// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How NVDLA's units run one convcore layer. planLayer() chooses the jobs of a layer or refuses the
// layer; it creates no IR. Placement asks only for the plan. The pass convoy-nvdla-lower-conv-core
// builds the jobs of the plan with buildJobs().

#pragma once

#include "Accelerators/Capabilities.h"
#include "Accelerators/NVDLA/Compile/ConvParts.h"
#include "Accelerators/NVDLA/Compile/SumRule.h"
#include "Support/Tensor.h"
#include "llvm/ADT/SmallVector.h"
#include <variant>

namespace convoy::nvdla {

/// CONV on int8, then SDP.
struct ConvPlan {
  mlir::Value input;
  Tensor weight; // signed, without zero point
  llvm::SmallVector<int64_t, 4> strides, pads, dilations;
  int64_t groups = 1, padValue = 0;
  SumRule rule;
};

/// One stage of SDP on floats.
struct FloatStage {
  Alu alu = Alu::None;
  bool hasMul = false;
  double operand = 0; // register operand of the ALU or the multiplier
  OperandSource from = OperandSource::Register;
  bool hasRelu = false;
  mlir::Value cube; // operands per element; null: none
  Tensor kernels;   // operands per kernel; empty: none
};

/// CONV on floats with the attributes and the weights of the layer, then SDP with the stages.
struct FloatConvPlan {
  std::vector<FloatStage> stages;
};

/// SDP on floats, two stages per job. Stage Y of the last job computes the curve.
struct FloatStagesPlan {
  std::vector<FloatStage> stages;
  std::optional<CurveKind> curve;
};

/// SDP: lhs * factor + rhs * 2^shift, or rhs * factor + lhs * 2^shift if `isSwapped`. A factor
/// other than 1 takes a stage, so the output converter then applies the rule.
struct SumPlan {
  bool isSwapped = false;
  int64_t factor = 1, shift = 0;
  SumRule rule;
};

/// SDP with the rule.
struct RequantizePlan {
  SumRule rule;
};

/// PDP.
struct PoolPlan {
  PoolMethod method = PoolMethod::Max;
};

/// CDP on floats.
struct LrnPlan {};

/// CDP on int8, with the tables of the layer.
struct IntegerLrnPlan {
  int64_t inOffset = 0, scale = 1, shift = 0;
};

/// Stage Y of SDP, with the table of the layer.
struct LookupPlan {};

/// No unit: the inputs are written to adjacent addresses.
struct JoinPlan {};

/// No unit: reads a box of the input, which begins at this channel, row and column.
struct ViewPlan {
  std::array<int64_t, 3> offsets = {0, 0, 0};
};

/// CONV with weights of ones and zeros, then SDP: selects channels from `first` on. `plane` is the
/// view of the rows and columns, if the layer does not read all of them.
struct SelectPlan {
  std::optional<ViewPlan> plane;
  int64_t first = 0;
};

/// CONV with weights of ones and zeros, then SDP: channel order[i] of the input becomes channel i,
/// which is 0 if order[i] is negative. An empty order needs no CONV. Then RUBIK in contract mode,
/// unless both strides are 1.
struct ContractPlan {
  int64_t strideY = 1, strideX = 1;
  llvm::SmallVector<int64_t> order;
};

/// Jobs of RUBIK between a cube and planes. Steps, and the offset of the first plane of each job,
/// are in elements.
struct PlaneJobs {
  int64_t channels = 0; // of one job
  int64_t planeStep = 0, lineStep = 0;
  llvm::SmallVector<int64_t> offsets;
};

/// RUBIK in split mode, then in merge mode, with planes of `elements` elements between them.
struct PlanesPlan {
  PlaneJobs split, merge;
  int64_t elements = 0;
};

/// RUBIK on atoms: moves channels behind the columns, or back.
struct TurnPlan {
  bool isToLast = true;
};

/// SDP without stages.
struct CopyPlan {};

struct LayerPlan {
  std::variant<CopyPlan, ConvPlan, FloatConvPlan, FloatStagesPlan, SumPlan, RequantizePlan,
               PoolPlan, LrnPlan, IntegerLrnPlan, LookupPlan, JoinPlan, ViewPlan, SelectPlan,
               ContractPlan, PlanesPlan, TurnPlan>
      jobs;
  /// The shape of the convolution, for the estimate of a layer on CONV.
  std::optional<ConvShape> conv;
  /// The sizes of the jobs of RUBIK, for the estimate.
  std::vector<RubikJob> rubik;
};

/// The plan of a layer, or the reason why no unit runs the layer.
using PlannedLayer = std::variant<LayerPlan, accelerators::Refusal>;

/// Plans a layer that the capability table allows.
PlannedLayer planLayer(mlir::Operation *op, const NvdlaOptions &options);

/// Plans a layer that computes on int8.
PlannedLayer planIntegerLayer(mlir::Operation *op, const NvdlaOptions &options);

/// Plans a layer that computes on floats: f16, or f32 during placement.
PlannedLayer planFloatLayer(mlir::Operation *op, const NvdlaOptions &options);

/// Plans a layer that changes no element, of any type.
PlannedLayer planMovement(mlir::Operation *op, const NvdlaOptions &options);

/// Plans a rearrangement, or a reshape that changes the plane, on RUBIK.
PlannedLayer planRearrangement(mlir::Operation *op, const NvdlaOptions &options);

/// Returns the shape of a convolution that selects channels of the plane.
ConvShape selectionShape(CubeSize plane, int64_t channels, Precision precision);

/// Returns the position of the channels that RUBIK contracts: blocks of `channels` channels, each
/// in atoms of its own. The positions between two blocks are -1.
llvm::SmallVector<int64_t> blockOrder(int64_t blocks, int64_t channels, int64_t lanes);

/// Returns whether the blocks of a cube in memory are in blockOrder.
bool isInBlocks(const ChannelMap &map, int64_t blocks, int64_t lanes);

/// Returns why the units cannot read or write an operand or the result of a layer on int8, or of a
/// movement, as a cube.
std::optional<accelerators::Refusal> whyNotCube(mlir::Operation *op, mlir::Value value);

/// Returns why CDP cannot normalize over `size` channels, or nothing. Applies to floats and
/// integers.
std::optional<accelerators::Refusal> whyNotWindow(uint64_t size);

/// Returns why a layer that the table allows cannot run, or nothing if it can.
std::optional<accelerators::Refusal> whyNotLayer(mlir::Operation *op, const NvdlaOptions &options);

/// Estimates the cycles of a layer with the cycle model; 0 for a layer that no unit runs.
uint64_t estimateLayer(mlir::Operation *op, const NvdlaOptions &options);

/// Builds the jobs of a plan and returns the value that replaces the result of the layer.
mlir::Value buildJobs(mlir::Operation *op, const LayerPlan &plan, mlir::OpBuilder &builder);

/// Builds a convolution with weights of ones and zeros that writes channel order[i] of the input as
/// channel i, or 0 if order[i] is negative.
mlir::Value buildSelection(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value input,
                           llvm::ArrayRef<int64_t> order, mlir::Type result);

/// Builds a convolution that selects channels from `first` on, as many as `result` has, and writes
/// them without gaps.
mlir::Value buildSelection(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value input,
                           int64_t first, mlir::Type result);

} // namespace convoy::nvdla
