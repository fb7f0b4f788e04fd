// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the operations of each op in order (ConvJobs.h, PointDescriptors.h), links their
// dependences, and builds the loadable with its memories and tensors.

#include "Accelerators/NVDLA/Compile/EmitLoadable.h"
#include "Accelerators/NVDLA/Compile/ConvJobs.h"
#include "Accelerators/NVDLA/Compile/LinkOps.h"
#include "Accelerators/NVDLA/Compile/RubikDescriptors.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace convoy::nvdla {
namespace {

constexpr uint8_t kFeature = 36, kFeatureX8 = 37; // pixel formats of feature cubes

class Emitter {
public:
  Emitter(func::FuncOp function, const NvdlaOptions &options)
      : block(function.getBody().front()), config(*options.config), writer(block, config),
        points(writer), convs(writer, points, options) {}

  FailureOr<EmittedLoadable> run() {
    for (Operation &op : block.without_terminator()) {
      LogicalResult emitted =
          llvm::TypeSwitch<Operation *, LogicalResult>(&op)
              .Case([&](SdpOp sdp) { return emitSdp(sdp); })
              .Case([&](PdpOp pdp) { return emitPdp(pdp); })
              .Case([&](CdpOp cdp) { return emitCdp(cdp); })
              .Case([&](TableCdpOp cdp) { return emitTableCdp(cdp); })
              .Case([&](ContractOp contract) {
                return emitRubik(contract, {describeContract(contract, writer)});
              })
              .Case([&](SplitOp split) { return emitRubik(split, describeSplit(split, writer)); })
              .Case([&](TurnOp turn) { return emitRubik(turn, describeTurn(turn, writer)); })
              .Case([&](MergeOp merge) { return emitRubik(merge, describeMerge(merge, writer)); })
              .Default([](Operation *) { return success(); }); // CONV is emitted with its SDP
      if (failed(emitted)) {
        return failure();
      }
    }
    if (writer.task.ops.size() > INT16_MAX) {
      return block.getParentOp()->emitError("region needs ")
             << writer.task.ops.size() << " hardware operations; a loadable supports at most 32767";
    }
    linkOps(writer.task, writer.groups, config);
    return EmittedLoadable{build(), std::move(writer.layers), std::move(writer.groups)};
  }

private:
  LogicalResult emitSdp(SdpOp sdp) {
    writer.beginLayer(sdp.getLoc());
    if (auto conv = sdp.getSource().getDefiningOp<ConvOp>()) {
      return convs.emitConv(conv, sdp);
    }
    CubePart whole = writer.wholeOf(sdp.getSource());
    SdpDescriptor d = points.sdp(sdp, whole);
    d.source = writer.cubeOfPart(sdp.getSource(), whole);
    std::vector<size_t> ops = {writer.addOp(d)};
    if (sdp.getToPdp()) {
      ops.push_back(writer.addOp(points.pdp(cast<PdpOp>(*sdp->getUsers().begin()))));
    }
    writer.addGroup(std::move(ops));
    return success();
  }

  LogicalResult emitPdp(PdpOp pdp) {
    auto sdp = pdp.getInput().getDefiningOp<SdpOp>();
    if (sdp && sdp.getToPdp()) {
      return success(); // emitted with its SDP
    }
    writer.beginLayer(pdp.getLoc());
    writer.addGroup({writer.addOp(points.pdp(pdp))});
    return success();
  }

  LogicalResult emitCdp(CdpOp cdp) {
    writer.beginLayer(cdp.getLoc());
    writer.addGroup({writer.addOp(points.cdp(cdp))});
    return success();
  }

  LogicalResult emitTableCdp(TableCdpOp cdp) {
    writer.beginLayer(cdp.getLoc());
    writer.addGroup({writer.addOp(points.tableCdp(cdp))});
    return success();
  }

  LogicalResult emitRubik(Operation *op, ArrayRef<RubikDescriptor> jobs) {
    writer.beginLayer(op->getLoc());
    for (const RubikDescriptor &job : jobs) {
      writer.addGroup({writer.addOp(job)});
    }
    return success();
  }

  LoadableTensor tensorOf(Value value, const std::string &name) const {
    const CubePlace &place = writer.places[value];
    bool isByte = precisionOf(value.getType()) == Precision::Int8;
    LoadableTensor tensor;
    tensor.name = name;
    tensor.size = uint64_t(writer.places.buffer(place.buffer).bytes);
    tensor.dataFormat = 3; // NVDLA's feature format
    tensor.dataType = isByte ? 4 : 2;
    tensor.dataCategory = 2;
    tensor.pixelFormat = config.atomBytes == 8 ? kFeatureX8 : kFeature;
    if (int64_t samples = pixelSamples(value)) {
      tensor.dataFormat = 2; // image format
      tensor.dataCategory = 0;
      tensor.pixelFormat = pixelFormatOf(samples, precisionOf(value.getType()));
    }
    tensor.n = 1;
    tensor.c = int32_t(place.size.channels);
    tensor.h = int32_t(place.size.height);
    tensor.w = int32_t(place.size.width);
    tensor.strides = {uint32_t(isByte ? 1 : 2), uint32_t(place.lineStride),
                      uint32_t(place.surfaceStride)};
    return tensor;
  }

  Loadable build() {
    LoadableBuilder builder;
    int16_t constant = builder.addMemory(LoadableMemory::Alloc,
                                         std::max<size_t>(writer.constants.bytes().size(), 1));
    builder.fill(constant, 0, "constants", writer.constants.bytes());
    builder.addMemory(LoadableMemory::Alloc, std::max<int64_t>(writer.places.activationBytes(), 1));
    auto bind = [&](Value value, uint16_t flag, size_t index, const char *kind) {
      uint64_t bytes = uint64_t(writer.places.buffer(writer.places[value].buffer).bytes);
      int16_t memory = builder.addMemory(LoadableMemory::Alloc | flag, bytes);
      builder.bind(memory, uint16_t(index), tensorOf(value, kind + std::to_string(index)));
    };
    for (auto [i, argument] : llvm::enumerate(block.getArguments())) {
      bind(argument, LoadableMemory::Input, i, "input");
    }
    for (auto [i, value] : llvm::enumerate(block.getTerminator()->getOperands())) {
      bind(value, LoadableMemory::Output, i, "output");
    }
    builder.addTask(writer.task);
    return builder.take();
  }

  mlir::Block &block;
  const HardwareConfig &config;
  TaskWriter writer;
  PointDescriptors points;
  ConvJobs convs;
};

} // namespace

FailureOr<EmittedLoadable> emitLoadable(func::FuncOp function, const NvdlaOptions &options) {
  return Emitter(function, options).run();
}

} // namespace convoy::nvdla
