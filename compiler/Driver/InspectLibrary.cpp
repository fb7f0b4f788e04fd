// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes the table of a compiled library (convoy/table.h) as text and as JSON.

#include "Driver/InspectLibrary.h"
#include "Support/ElementType.h"
#include "Support/ShapeText.h"
#include "convoy/load.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>

namespace convoy::driver {
namespace {

std::string typeText(const convoy_tensor &tensor) {
  std::optional<ElementType> type = elementTypeFromOnnx(tensor.element_type);
  return type ? name(*type).str() : "type " + std::to_string(tensor.element_type);
}

Shape shapeOf(const convoy_tensor &tensor) { return {tensor.shape, tensor.shape + tensor.rank}; }

/// Returns " at most, 2 sizes depend on data" for an output whose shape is a maximum, else nothing.
std::string extentText(const convoy_tensor &tensor) {
  llvm::ArrayRef<int32_t> dims(tensor.dims, tensor.dims ? tensor.rank : 0);
  int64_t open = llvm::count_if(dims, [](int32_t extent) { return extent >= 0; });
  if (open == 0) {
    return "";
  }
  return llvm::formatv(" at most, {0} {1} on data", open,
                       open == 1 ? "size depends" : "sizes depend");
}

std::string scaleText(const convoy_tensor &tensor) {
  if (tensor.scale_count == 0) {
    return "";
  }
  if (tensor.scale_axis >= 0) {
    return llvm::formatv(", {0} scales along axis {1}", tensor.scale_count, tensor.scale_axis);
  }
  return llvm::formatv(", scale {0:e6}, zero point {1}", tensor.scales[0], tensor.zero_points[0]);
}

void printTensors(llvm::raw_ostream &os, llvm::StringRef kind, const convoy_tensor *tensors,
                  uint32_t count) {
  for (const convoy_tensor &tensor : llvm::ArrayRef(tensors, count)) {
    os << llvm::left_justify(kind, 12) << tensor.name << ": " << typeText(tensor) << " "
       << shapeText(shapeOf(tensor)) << extentText(tensor) << ", " << tensor.bytes << " bytes"
       << scaleText(tensor) << "\n";
  }
}

std::string textOf(const std::string &path, uint64_t fileBytes, const convoy_model &model) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "library     " << path << ", " << fileBytes << " bytes, interface " << model.abi_version
     << ", by " << model.compiler << "\n"
     << "model       " << model.name << ", target " << model.target << ", threads " << model.threads
     << "\n"
     << "hash        " << model.hash << "\n"
     << "features    " << model.features << "\n";
  printTensors(os, "input", model.inputs, model.input_count);
  printTensors(os, "output", model.outputs, model.output_count);
  os << "workspace   " << model.workspace_bytes << " bytes, aligned to "
     << model.workspace_alignment << " bytes\n"
     << "weights     " << model.weights_bytes << " bytes in "
     << (model.open ? "a file" : "the library") << ", hash " << model.weights_hash << "\n";
  if (*model.records) {
    os << "records     hash " << model.records << "\n";
  }
  if (model.programs > 0) {
    os << "programs    " << model.programs << " for a device, which " << model.name
       << "_init loads\n";
  }
  return text;
}

llvm::json::Array tensorsToJson(const convoy_tensor *tensors, uint32_t count) {
  llvm::json::Array array;
  for (const convoy_tensor &tensor : llvm::ArrayRef(tensors, count)) {
    llvm::json::Object object{{"name", llvm::json::fixUTF8(tensor.name)},
                              {"type", typeText(tensor)},
                              {"shape", llvm::json::Array(shapeOf(tensor))},
                              {"bytes", tensor.bytes}};
    if (tensor.dims) {
      object["dims"] = llvm::json::Array(llvm::ArrayRef(tensor.dims, tensor.rank));
    }
    if (tensor.scale_count > 0) {
      size_t scales = static_cast<size_t>(tensor.scale_count);
      object["scales"] = llvm::json::Array(llvm::ArrayRef(tensor.scales, scales));
      object["zero_points"] = llvm::json::Array(llvm::ArrayRef(tensor.zero_points, scales));
      object["scale_axis"] = tensor.scale_axis;
    }
    array.push_back(std::move(object));
  }
  return array;
}

/// Copies the strings, because JSON refers to a `const char *` and the library is unloaded.
llvm::json::Object jsonOf(const std::string &path, uint64_t fileBytes, const convoy_model &model) {
  return llvm::json::Object{{"library", llvm::json::fixUTF8(path)},
                            {"file_bytes", fileBytes},
                            {"interface", model.abi_version},
                            {"compiler", std::string(model.compiler)},
                            {"model", std::string(model.name)},
                            {"target", std::string(model.target)},
                            {"features", std::string(model.features)},
                            {"hash", std::string(model.hash)},
                            {"weights_hash", std::string(model.weights_hash)},
                            {"records", std::string(model.records)},
                            {"inputs", tensorsToJson(model.inputs, model.input_count)},
                            {"outputs", tensorsToJson(model.outputs, model.output_count)},
                            {"workspace_bytes", model.workspace_bytes},
                            {"workspace_alignment", model.workspace_alignment},
                            {"weights_bytes", model.weights_bytes},
                            {"weights_in_file", model.open != nullptr},
                            {"threads", model.threads},
                            {"programs", model.programs},
                            {"symbols", model.symbol_count},
                            {"extents", model.extent_count}};
}

} // namespace

bool isLibrary(llvm::StringRef path) { return path.ends_with(".so"); }

bool isLibraryFile(const std::string &path) {
  constexpr llvm::StringLiteral kElf = "\x7f"
                                       "ELF";
  auto file = llvm::MemoryBuffer::getFileSlice(path, kElf.size(), /*Offset=*/0);
  return file && (*file)->getBuffer() == kElf;
}

llvm::Expected<InspectedFile> inspectLibrary(const std::string &path) {
  char problem[1024];
  std::unique_ptr<convoy_loaded, void (*)(convoy_loaded *)> loaded(
      convoy_load(path.c_str(), problem, sizeof(problem)), convoy_unload);
  if (!loaded) {
    return llvm::createStringError(problem);
  }
  uint64_t bytes = 0;
  if (std::error_code error = llvm::sys::fs::file_size(path, bytes)) {
    return llvm::createStringError(error, "cannot read '" + path + "': " + error.message());
  }
  const convoy_model &model = *convoy_loaded_model(loaded.get());
  InspectedFile file;
  file.text = textOf(path, bytes, model);
  file.json = jsonOf(path, bytes, model);
  return file;
}

} // namespace convoy::driver
