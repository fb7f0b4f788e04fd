// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a model with the user's options, writes its inputs and lets convoy-measure time it.

#include "timing/BenchModel.h"
#include "Driver/AddProblem.h"
#include "Driver/TensorConversion.h"
#include "Import/Import.h"
#include "Import/OnnxProto.h"
#include "Support/Json.h"
#include "Support/OutputFile.h"
#include "check/rules/CheckRule.h"
#include "convoy/compiler.h"
#include "io/Files.h"
#include "timing/CompiledLibrary.h"
#include "timing/MeasuredLibrary.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cmath>
#include <random>

namespace convoy::timing {
namespace {

/// Reads the shape that convoy-measure wrote as a JSON array.
llvm::Expected<Shape> readShape(const std::string &path) {
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> buffer = io::readFile(path);
  if (!buffer) {
    return buffer.takeError();
  }
  llvm::Expected<llvm::json::Value> list = parseJson((*buffer)->getBuffer());
  if (!list) {
    return list.takeError();
  }
  Shape shape;
  for (const llvm::json::Value &size : *list->getAsArray()) {
    shape.push_back(size.getAsInteger().value_or(0));
  }
  return shape;
}

/// Reads an output from its files "<path>.raw" and "<path>.shape".
llvm::Expected<Tensor> readOutput(const TensorInfo &tensor, const std::string &path) {
  llvm::Expected<Shape> shape = readShape(path + ".shape");
  if (!shape) {
    return shape.takeError();
  }
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> buffer = io::readFile(path + ".raw");
  if (!buffer) {
    return buffer.takeError();
  }
  int64_t bytes = elementCount(*shape).value_or(-1) * storageBytes(tensor.type);
  if ((*buffer)->getBufferSize() != static_cast<size_t>(bytes)) {
    return llvm::createStringError("'" + path + ".raw' does not hold output '" + tensor.name + "'");
  }
  std::shared_ptr<llvm::MemoryBuffer> owner = std::move(*buffer);
  return Tensor::view(tensor.type, *shape, owner->getBufferStart(), owner);
}

// The relative error of a sum of a few hundred f32 terms when the order of summation changes.
constexpr double kNudge = 0x1p-20;
// The number of runs with changed inputs. With Moonshine's encoder, 6 of 8 runs round differently.
constexpr uint64_t kNudgedRuns = 8;

/// Returns a copy whose floats differ by kNudge, up or down. Other types stay unchanged.
Tensor nudged(Tensor tensor, uint64_t seed) {
  std::mt19937_64 random(seed);
  for (int64_t i = 0; isFloat(tensor.type()) && i < tensor.size(); ++i) {
    tensor.setDouble(i, tensor.asDouble(i) * (random() % 2 == 0 ? 1 + kNudge : 1 - kNudge));
  }
  return tensor;
}

/// The attribute of MatMulNBits that lets ONNX Runtime round the input, and its value for f32.
constexpr char kAccuracy[] = "accuracy_level";
constexpr int64_t kFullAccuracy = 1;

/// Lets no node of the model round its input. Returns whether the model changed.
bool setFullAccuracy(onnx::ModelProto &model) {
  bool isChanged = false;
  for (onnx::NodeProto &node : *model.mutable_graph()->mutable_node()) {
    for (onnx::AttributeProto &attribute : *node.mutable_attribute()) {
      if (attribute.name() == kAccuracy && attribute.i() > kFullAccuracy) {
        attribute.set_i(kFullAccuracy);
        isChanged = true;
      }
    }
  }
  return isChanged;
}

bool hasExternalData(const onnx::ModelProto &model) {
  return llvm::any_of(model.graph().initializer(), [](const onnx::TensorProto &tensor) {
    return tensor.data_location() == onnx::TensorProto::EXTERNAL;
  });
}

double number(const llvm::json::Object &object, llvm::StringRef key) {
  return object.getNumber(key).value_or(0);
}

Performance performanceOf(const llvm::json::Object &cold) {
  Performance result;
  result.loadMs = number(cold, "loadMs");
  result.firstMs = number(cold, "firstMs");
  result.residentMb = number(cold, "residentMb");
  return result;
}

} // namespace

std::string BenchModel::file(const llvm::Twine &name) const {
  llvm::SmallString<128> result(setup.folder);
  llvm::sys::path::append(result, name);
  return result.str().str();
}

std::string BenchModel::name() const {
  return llvm::sys::path::stem(request.library.empty() ? request.path : request.library).str();
}

Problems BenchModel::readLibrary() {
  Problems problems;
  llvm::Expected<Artifact> read = describeLibrary(request.library);
  if (!read) {
    addError(problems, read.takeError());
  } else if (read->report.threads > threads()) {
    addError(problems, "'" + request.library + "' was compiled for " +
                           llvm::Twine(read->report.threads) + " threads, got --threads " +
                           llvm::Twine(threads()) + "; pass --threads " +
                           llvm::Twine(read->report.threads));
  } else {
    artifact = std::move(*read);
  }
  return problems;
}

Problems BenchModel::build() {
  if (!request.library.empty()) {
    return readLibrary();
  }
  request.compile.output.emit = Emit::Library;
  request.compile.output.folder = setup.folder;
  request.compile.debugging.probes = options.hasLayers ? Probes::Kernels : Probes::None;
  Result<Artifact> built = convoy::compileModel(request.model, request.compile);
  if (built) {
    artifact = std::move(*built);
  }
  return built.problems();
}

llvm::json::Object BenchModel::specification(llvm::StringRef mode) const {
  llvm::json::Object spec = timing::specification(artifact, mode, setup.folder);
  for (auto [index, isOpen] : llvm::enumerate(openOutputs)) {
    (*(*spec.getArray("outputs"))[index].getAsObject())["open"] = static_cast<bool>(isOpen);
  }
  spec["threads"] = threads();
  spec["samples"] = options.samples;
  spec["peak"] = llvm::json::Object{{"library", setup.peak.path},
                                    {"flopsPerIteration", setup.peak.flopsPerIteration}};
  return spec;
}

llvm::Expected<llvm::json::Object> BenchModel::peerSpecification(bool isOptimized) const {
  llvm::json::Array inputs;
  for (const auto &[name, value] : request.compile.inputs.constants) {
    llvm::Expected<Tensor> tensor = driver::toTensor(value);
    if (!tensor) {
      return tensor.takeError();
    }
    std::string path = file("constant_" + llvm::Twine(inputs.size()) + ".raw");
    if (llvm::Error error = writeRaw(*tensor, path)) {
      return std::move(error);
    }
    inputs.push_back(llvm::json::Object{{"name", name},
                                        {"type", static_cast<int64_t>(tensor->type())},
                                        {"shape", llvm::json::Array(tensor->shape())},
                                        {"bytes", static_cast<int64_t>(tensor->bytes())},
                                        {"file", path}});
  }
  llvm::Expected<std::string> model = isOptimized ? request.path : accurateModel();
  if (!model) {
    return model.takeError();
  }
  return llvm::json::Object{{"library", setup.peerLibrary},
                            {"model", std::move(*model)},
                            {"optimize", isOptimized},
                            {"inputs", std::move(inputs)}};
}

llvm::Expected<std::string> BenchModel::accurateModel() const {
  if (!request.library.empty()) {
    return request.path; // the model of a compiled library is not read
  }
  // The peer reads external data beside the model, so a copy elsewhere would lose them.
  if (const onnx::ModelProto &model = *request.model.file().proto; !hasExternalData(model)) {
    onnx::ModelProto copy(model);
    if (setFullAccuracy(copy)) {
      std::string path = file("full_accuracy.onnx");
      llvm::Error error = writeFile(path, copy.SerializeAsString());
      return error ? llvm::Expected<std::string>(std::move(error)) : path;
    }
  }
  return request.path;
}

llvm::Expected<llvm::json::Object> BenchModel::runCold(bool isPeer) const {
  llvm::json::Object spec = specification("cold");
  if (isPeer) {
    llvm::Expected<llvm::json::Object> peer = peerSpecification(/*isOptimized=*/true);
    if (!peer) {
      return peer.takeError();
    }
    spec["peer"] = std::move(*peer);
  }
  return setup.measureProgram.measure(std::move(spec));
}

llvm::Error BenchModel::runPlainPeer(llvm::StringRef folder, uint64_t seed) const {
  if (llvm::Error error = createFolder(file(folder))) {
    return error;
  }
  llvm::json::Object spec = specification("outputs");
  spec["outputFolder"] = file(folder);
  llvm::Expected<llvm::json::Object> plain = peerSpecification(/*isOptimized=*/false);
  if (!plain) {
    return plain.takeError();
  }
  spec["peer"] = std::move(*plain);
  for (auto [index, input] : llvm::enumerate(artifact.report.inputs)) {
    llvm::Expected<Tensor> data = inputData(input, index, request.inputs);
    if (!data) {
      return data.takeError();
    }
    std::string name = inputFile(file(folder), index);
    if (llvm::Error error = writeRaw(seed == 0 ? *data : nudged(*data, seed + index), name)) {
      return error;
    }
    (*(*spec.getArray("inputs"))[index].getAsObject())["file"] = name;
  }
  return setup.measureProgram.measure(std::move(spec)).takeError();
}

llvm::Expected<PeerSpread> BenchModel::measureSpread() const {
  if (llvm::Error error = runPlainPeer("plain", 0)) {
    return error;
  }
  llvm::Expected<double> ours = distance("compiled", "plain/peer");
  llvm::Expected<double> own = distance("peer", "plain/peer");
  if (!ours || !own) {
    return llvm::joinErrors(ours.takeError(), own.takeError());
  }
  PeerSpread spread{*ours, *own};
  for (uint64_t seed = 1; seed <= kNudgedRuns; ++seed) {
    if (llvm::Error error = runPlainPeer("nudged", seed)) {
      return error;
    }
    own = distance("nudged/peer", "plain/peer");
    if (!own) {
      return own.takeError();
    }
    spread.ownError = std::max(spread.ownError, *own);
  }
  return spread;
}

llvm::Error BenchModel::judge(BenchRow &row) const {
  llvm::Expected<double> error = distance("compiled", "peer");
  if (!error) {
    return error.takeError();
  }
  row.relativeError = *error;
  if (row.isClose()) {
    return llvm::Error::success();
  }
  llvm::Expected<PeerSpread> spread = measureSpread();
  if (!spread) {
    return spread.takeError();
  }
  row.peerSpread = *spread;
  return llvm::Error::success();
}

llvm::Expected<double> BenchModel::distance(const llvm::Twine &actual,
                                            const llvm::Twine &expected) const {
  double worst = 0;
  for (auto [index, output] : llvm::enumerate(artifact.report.outputs)) {
    llvm::Expected<Tensor> ours = readOutput(output, file(actual + "_" + llvm::Twine(index)));
    if (!ours) {
      return ours.takeError();
    }
    llvm::Expected<Tensor> theirs = readOutput(output, file(expected + "_" + llvm::Twine(index)));
    if (!theirs) {
      return theirs.takeError();
    }
    double error = ours->shape() == theirs->shape() ? check::relativeL2(*ours, *theirs) : HUGE_VAL;
    worst = error <= worst ? worst : error; // NaN stays
  }
  return worst;
}

llvm::Expected<BenchRow> BenchModel::measure() {
  BenchRow row;
  row.model = name();
  row.threads = threads();
  row.convoyThreads = artifact.report.threads;
  row.built = artifact.report;
  row.gflop = artifact.report.flops / 1e9;
  if (llvm::Error error = writeInputs(artifact.report, request.inputs, setup.folder)) {
    return error;
  }
  llvm::Expected<llvm::json::Object> cold = runCold(/*isPeer=*/false);
  if (!cold) {
    return cold.takeError();
  }
  row.convoy = performanceOf(*cold);
  for (const llvm::json::Value &isOpen : *cold->getArray("openOutputs")) {
    openOutputs.push_back(isOpen.getAsBoolean().value_or(false));
  }
  llvm::json::Object spec = specification("compare");
  spec["readBytes"] = artifact.report.weightsBytes;
  if (!setup.peerLibrary.empty()) {
    llvm::Expected<llvm::json::Object> peer = runCold(/*isPeer=*/true);
    if (!peer) {
      return peer.takeError();
    }
    row.peer = performanceOf(*peer);
    llvm::Expected<llvm::json::Object> optimized = peerSpecification(/*isOptimized=*/true);
    if (!optimized) {
      return optimized.takeError();
    }
    spec["peer"] = std::move(*optimized);
  }
  llvm::Expected<llvm::json::Object> result = setup.measureProgram.measure(std::move(spec));
  if (!result) {
    return result.takeError();
  }
  std::vector<double> ours = numbers(*result->getObject("compiled"), "ms");
  std::vector<double> oursCpu = numbers(*result->getObject("compiled"), "cpuMs");
  row.convoy.ms = median(ours);
  row.convoy.cpuMs = median(oursCpu);
  row.samplesMs = ours;
  row.latencyMs = percentiles(numbers(*result->getObject("compiled"), "latencyMs"));
  row.peakGflops = median(numbers(*result, "peakGflops"));
  row.readGbs = number(*result, "readGbs");
  row.peakSpread = spread(numbers(*result, "peakGflops"));
  if (row.peer) {
    std::vector<double> theirs = numbers(*result->getObject("peer"), "ms");
    row.peer->ms = median(theirs);
    row.peerLatencyMs = percentiles(numbers(*result->getObject("peer"), "latencyMs"));
    row.ratio = ratioOfMedians(ours, theirs);
    std::vector<double> theirsCpu = numbers(*result->getObject("peer"), "cpuMs");
    row.peer->cpuMs = median(theirsCpu);
    row.cpuRatio = ratioOfMedians(oursCpu, theirsCpu);
    row.isQuantized = artifact.report.isQuantized;
    if (llvm::Error error = judge(row)) {
      return error;
    }
  }
  if (options.streams > 0) {
    llvm::Expected<StreamReport> streams = measureStreams();
    if (!streams) {
      return streams.takeError();
    }
    row.streams = *streams;
  }
  return row;
}

llvm::Expected<StreamReport> BenchModel::measureStreams() const {
  llvm::json::Object spec = specification("streams");
  spec["streams"] = options.streams;
  llvm::Expected<llvm::json::Object> result = setup.measureProgram.measure(std::move(spec));
  if (!result) {
    return result.takeError();
  }
  std::vector<double> all = numbers(*result, "allPerSecond"),
                      one = numbers(*result, "onePerSecond");
  StreamReport report;
  report.streams = options.streams;
  report.perSecond = median(all);
  report.onePerSecond = median(one);
  report.scaling = ratioOfMedians(all, one);
  report.latencyMs = percentiles(numbers(*result, "latencyMs"));
  return report;
}

llvm::Expected<LayerReport> BenchModel::measureLayers() const {
  if (llvm::Error error = writeInputs(artifact.report, request.inputs, setup.folder)) {
    return error;
  }
  llvm::json::Object spec = specification("layers");
  llvm::ArrayRef<KernelReport> layers = artifact.report.kernels;
  spec["layers"] = static_cast<int64_t>(layers.size());
  spec["hot"] = options.isHot;
  llvm::Expected<llvm::json::Object> result = setup.measureProgram.measure(std::move(spec));
  if (!result) {
    return result.takeError();
  }
  LayerReport report;
  report.model = name();
  report.threads = threads();
  report.isHot = options.isHot;
  report.totalMs = median(numbers(*result, "totalMs"));
  report.peakGflops = median(numbers(*result, "peakGflops"));
  for (const llvm::json::Value &entry : *result->getArray("bandwidths")) {
    const llvm::json::Object &speed = *entry.getAsObject();
    report.readSpeeds.push_back({number(speed, "bytes"), number(speed, "gbs")});
  }
  const llvm::json::Array &times = *result->getArray("ms");
  for (size_t i = 0; i < layers.size(); ++i) {
    std::vector<double> samples;
    for (const llvm::json::Value &value : *times[i].getAsArray()) {
      samples.push_back(value.getAsNumber().value_or(0));
    }
    report.rows.push_back({layers[i], median(std::move(samples))});
  }
  return report;
}

} // namespace convoy::timing
