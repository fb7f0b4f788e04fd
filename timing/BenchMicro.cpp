// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Joins the counts of the emulator with the multiply-adds that the compiler counts.

#include "timing/BenchMicro.h"
#include "Driver/AddProblem.h"
#include "Driver/CompileModel.h"
#include "Driver/LoadedProgram.h"
#include "Driver/MicroProgram.h"
#include "Support/TextTable.h"
#include "timing/MeasuredLibrary.h"
#include "timing/NumberText.h"
#include "timing/Work.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <map>

namespace convoy::timing {
namespace {

/// Returns the digits of a number in groups of three: "1,234,567".
std::string grouped(uint64_t number) {
  std::string digits = std::to_string(number);
  for (size_t at = digits.size(); at > 3; at -= 3) {
    digits.insert(at - 3, ",");
  }
  return digits;
}

/// Instructions per multiply-add; empty if there is none.
std::string perMultiplyAdd(uint64_t instructions, double multiplyAdds) {
  return multiplyAdds > 0 ? fixedText(static_cast<double>(instructions) / multiplyAdds, 2) : "";
}

std::vector<MicroLayer> joinLayers(llvm::ArrayRef<driver::LayerCount> counts,
                                   llvm::ArrayRef<Layer> work) {
  std::map<std::string, double> flops;
  for (const Layer &layer : work) {
    flops[layer.kernel + " " + layer.nodes] += layer.flops;
  }
  std::vector<MicroLayer> layers;
  for (const driver::LayerCount &count : counts) {
    auto [kernel, nodes] = llvm::StringRef(count.layer).split(' ');
    auto found = flops.find(count.layer);
    layers.push_back({kernel.str(), nodes.str(), count.instructions,
                      found == flops.end() ? 0 : found->second / 2});
  }
  return layers;
}

/// Counts one run of the program.
llvm::Error countRun(const Artefact &artefact, const NamedTensors &given,
                     llvm::ArrayRef<Layer> work, MicroRow &row) {
  std::vector<Tensor> inputs;
  for (auto [i, input] : llvm::enumerate(artefact.summary.inputs)) {
    llvm::Expected<Tensor> tensor = inputData(input, i, given);
    if (!tensor) {
      return tensor.takeError();
    }
    inputs.push_back(std::move(*tensor));
  }
  const driver::MicroProgram *program = artefact.memory->program().micro();
  if (!program) {
    return llvm::createStringError("target '" + row.target + "' is no microcontroller");
  }
  driver::InstructionCounts counts;
  if (llvm::Error error = program->run(inputs, &counts).takeError()) {
    return error;
  }
  row.compiler = llvm::join(program->target().sourceCompiler, " ");
  row.instructions = counts.run;
  row.between = counts.between;
  row.layers = joinLayers(counts.layers, work);
  row.workspaceBytes = artefact.summary.workspaceBytes;
  row.weightsBytes = artefact.summary.weightsBytes;
  row.flashBytes = program->flashBytes();
  row.ramBytes = program->ramBytes();
  return llvm::Error::success();
}

void printLayers(llvm::raw_ostream &os, const MicroRow &row) {
  os << row.model << " on " << row.target << ", compiled by " << row.compiler << "\n";
  TextTable table({{"instructions", ColumnKind::Number},
                   {"share", ColumnKind::Number},
                   {"MACs", ColumnKind::Number},
                   {"per MAC", ColumnKind::Number},
                   {"kernel"},
                   {"nodes"}});
  auto share = [&](uint64_t count) {
    return percentText(row.instructions > 0
                           ? static_cast<double>(count) / static_cast<double>(row.instructions)
                           : 0);
  };
  for (const MicroLayer &layer : row.layers) {
    table.add({grouped(layer.instructions), share(layer.instructions),
               grouped(static_cast<uint64_t>(layer.multiplyAdds)),
               perMultiplyAdd(layer.instructions, layer.multiplyAdds), layer.kernel, layer.nodes});
  }
  table.add({grouped(row.between), share(row.between), "", "", "", "between layers"});
  table.print(os);
}

} // namespace

double MicroRow::multiplyAdds() const {
  double sum = 0;
  for (const MicroLayer &layer : layers) {
    sum += layer.multiplyAdds;
  }
  return sum;
}

Result<MicroRow> benchMicro(const Model &model, const CompileRequest &request,
                            const NamedTensors &inputs) {
  MicroRow row;
  row.model = model.name();
  row.target = request.target.name;
  CompileRequest wanted = request;
  wanted.output.emit = Emit::Memory;
  WorkObserver work(Probes::Kernels);
  driver::CompileHooks hooks;
  hooks.observer = &work;
  Result<Artefact> artefact = driver::compileModel(model, wanted, hooks);
  Problems problems = artefact.problems();
  if (!artefact) {
    return problems;
  }
  if (llvm::Error error = countRun(*artefact, inputs, work.layers, row)) {
    addError(problems, std::move(error));
    return problems;
  }
  return Result<MicroRow>(std::move(row), std::move(problems));
}

void printMicroRows(llvm::raw_ostream &os, llvm::ArrayRef<MicroRow> rows, bool hasLayers) {
  for (const MicroRow &row : rows) {
    if (hasLayers) {
      printLayers(os, row);
    }
  }
  TextTable table({{"model"},
                   {"target"},
                   {"instructions", ColumnKind::Number},
                   {"MACs", ColumnKind::Number},
                   {"per MAC", ColumnKind::Number},
                   {"flash bytes", ColumnKind::Number},
                   {"RAM bytes", ColumnKind::Number},
                   {"workspace", ColumnKind::Number},
                   {"weights", ColumnKind::Number}});
  for (const MicroRow &row : rows) {
    double multiplyAdds = row.multiplyAdds();
    auto bytes = [](int64_t count) { return grouped(static_cast<uint64_t>(count)); };
    table.add({row.model, row.target, grouped(row.instructions),
               grouped(static_cast<uint64_t>(multiplyAdds)),
               perMultiplyAdd(row.instructions, multiplyAdds), bytes(row.flashBytes),
               bytes(row.ramBytes), bytes(row.workspaceBytes), bytes(row.weightsBytes)});
  }
  table.print(os);
}

std::string toJson(llvm::ArrayRef<MicroRow> rows) {
  auto number = [](uint64_t count) { return static_cast<int64_t>(count); };
  llvm::json::Array list;
  for (const MicroRow &row : rows) {
    llvm::json::Array layers;
    for (const MicroLayer &layer : row.layers) {
      layers.push_back(
          llvm::json::Object{{"kernel", layer.kernel},
                             {"nodes", llvm::json::fixUTF8(layer.nodes)},
                             {"instructions", number(layer.instructions)},
                             {"multiply_adds", static_cast<int64_t>(layer.multiplyAdds)}});
    }
    list.push_back(llvm::json::Object{{"model", llvm::json::fixUTF8(row.model)},
                                      {"target", row.target},
                                      {"compiler", row.compiler},
                                      {"instructions", number(row.instructions)},
                                      {"between_layers", number(row.between)},
                                      {"multiply_adds", static_cast<int64_t>(row.multiplyAdds())},
                                      {"workspace_bytes", row.workspaceBytes},
                                      {"weights_bytes", row.weightsBytes},
                                      {"flash_bytes", row.flashBytes},
                                      {"ram_bytes", row.ramBytes},
                                      {"layers", std::move(layers)}});
  }
  return llvm::formatv("{0:2}\n", llvm::json::Value(std::move(list))).str();
}

} // namespace convoy::timing
