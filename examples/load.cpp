// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads a compiled library that is known only at run time, prints its inputs and outputs and runs
// it on zeros. The library describes itself, so the program needs no generated header.
//
//   load LIBRARY

#include <convoy/convoy.hpp>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

/// Allocates the bytes of each tensor, initialized with zeros. Elements have at most 16 bytes.
std::vector<std::vector<std::max_align_t>> allocate(convoy::Tensors tensors) {
  std::vector<std::vector<std::max_align_t>> buffers;
  for (const convoy_tensor &tensor : tensors) {
    buffers.emplace_back(tensor.bytes / sizeof(std::max_align_t) + 1);
  }
  return buffers;
}

void print(const char *kind, convoy::Tensors tensors) {
  for (const convoy_tensor &tensor : tensors) {
    std::printf("%s %s: type %d, [", kind, tensor.name, static_cast<int>(tensor.element_type));
    for (int axis = 0; axis < tensor.rank; ++axis) {
      std::printf("%s%lld", axis > 0 ? ", " : "", static_cast<long long>(tensor.shape[axis]));
    }
    std::printf("]\n");
  }
}

} // namespace

int main(int count, char **arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: load LIBRARY\n");
    return 1;
  }
  std::string problem;
  std::optional<convoy::Library> library = convoy::Library::load(arguments[1], &problem);
  if (!library) {
    std::fprintf(stderr, "%s\n", problem.c_str());
    return 1;
  }
  print("input", library->inputs());
  print("output", library->outputs());
  auto inputs = allocate(library->inputs());
  auto outputs = allocate(library->outputs());
  std::vector<const void *> inputPointers;
  std::vector<void *> outputPointers;
  for (auto &buffer : inputs) {
    inputPointers.push_back(buffer.data());
  }
  for (auto &buffer : outputs) {
    outputPointers.push_back(buffer.data());
  }
  int code = library->run(inputPointers.data(), outputPointers.data());
  if (code != CONVOY_OK) {
    std::fprintf(stderr, "%s\n", library->errorText(code));
    return 1;
  }
  std::printf("ran %s\n", library->model().name);
  return 0;
}
