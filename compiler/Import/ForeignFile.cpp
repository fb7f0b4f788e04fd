// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the first bytes of a file with the signatures of formats. Formats that share a
// container, such as ZIP, differ by the ending of the name.

#include "Import/ForeignFile.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Path.h"

namespace convoy::import {
namespace {

constexpr llvm::StringLiteral kFromTorch =
    "load it in PyTorch and write it with torch.onnx.export(model, inputs, \"model.onnx\")";

std::string fromTensorflow(llvm::StringRef flag, llvm::StringRef name) {
  return ("convert it with `python3 -m tf2onnx.convert " + flag + " " + name +
          " --output model.onnx`")
      .str();
}

} // namespace

std::string describeForeignFile(llvm::StringRef bytes, llvm::StringRef name) {
  std::string ending = llvm::sys::path::extension(name).lower();
  if (bytes.substr(4).starts_with("TFL3")) {
    return "is a TensorFlow Lite model; " + fromTensorflow("--tflite", name);
  }
  if (bytes.substr(4).starts_with("ORTM")) {
    return "is a model in ONNX Runtime's own format; use the .onnx file that it was made from";
  }
  if (bytes.starts_with("\x7f"
                        "ELF")) {
    return "is a compiled library; `convoy run`, `bench` and `inspect` read it, and this verb "
           "expects the ONNX model";
  }
  if (bytes.starts_with("\x89HDF") || ending == ".keras") {
    return "is a Keras model; load it in Keras and write it with model.export(\"model.onnx\", "
           "format=\"onnx\")";
  }
  if (bytes.starts_with("PK\x03\x04") || bytes.starts_with("\x80\x02")) {
    return "is a PyTorch file; " + kFromTorch.str();
  }
  if (bytes.starts_with("GGUF")) {
    return "has weights for llama.cpp and no graph; export the original model to ONNX";
  }
  if (bytes.substr(8).starts_with("{\"") && ending == ".safetensors") {
    return "has weights and no graph; " + kFromTorch.str();
  }
  if (ending == ".pb" || ending == ".pbtxt") {
    return "is not an ONNX model; if it is a frozen TensorFlow graph, " +
           fromTensorflow("--graphdef", name);
  }
  return "";
}

} // namespace convoy::import
