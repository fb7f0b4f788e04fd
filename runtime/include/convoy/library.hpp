// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wraps a compiled library that is loaded at run time as a C++17 object. A program that uses it
// links Convoy::load. convoy.hpp includes this header.

#ifndef CONVOY_LIBRARY_HPP
#define CONVOY_LIBRARY_HPP

#include "convoy/convoy.hpp"
#include "convoy/load.h"

#include <initializer_list>
#include <string>

namespace convoy {

/// The inputs or the outputs of a loaded library.
class Tensors {
public:
  constexpr Tensors(const convoy_tensor *tensors, std::size_t number) noexcept
      : first(tensors), count(number) {}

  constexpr const convoy_tensor *begin() const noexcept { return first; }
  constexpr const convoy_tensor *end() const noexcept { return first + count; }
  constexpr std::size_t size() const noexcept { return count; }
  constexpr const convoy_tensor &operator[](std::size_t index) const noexcept {
    return first[index];
  }

private:
  const convoy_tensor *first;
  std::size_t count;
};

/// What Library::load checks besides the interface.
struct LoadChecks {
  const char *hash = nullptr; ///< <MODEL>_HASH of the program's header; null: any library
  bool verifies = false;      ///< compare all bytes with the SHA-256 at the end of the files
};

/// A compiled library that is loaded at run time, with a workspace. It can be moved but not
/// copied. Only one thread at a time may use an object. Threads that run the same model
/// concurrently each load the library; the objects share code and weights.
///
///   std::string problem;
///   std::optional<convoy::Library> net = convoy::Library::load("out/net.so", &problem);
///   if (net) {
///     int code = net->run({image.data()}, {scores.data()});
///   }
class Library {
public:
  /// Loads the library and, if its weights are in a file, opens the file beside the library.
  /// On failure returns nothing and stores a sentence in `*problem`, which may be null. Only
  /// that string can throw: std::bad_alloc.
  static std::optional<Library> load(const char *path, std::string *problem = nullptr) {
    return load(path, LoadChecks{}, problem);
  }

  /// Same as above, with more checks.
  static std::optional<Library> load(const char *path, const LoadChecks &checks,
                                     std::string *problem = nullptr) {
    char text[kTextBytes] = "";
    Handle handle(convoy_load_checked(path, checks.hash, checks.verifies ? CONVOY_LOAD_VERIFY : 0,
                                      text, sizeof(text)));
    if (!handle) {
      return failed(problem, text);
    }
    const convoy_model &model = *convoy_loaded_model(handle.get());
    detail::AlignedMemory memory =
        detail::allocate(static_cast<std::size_t>(model.workspace_bytes),
                         static_cast<std::size_t>(model.workspace_alignment));
    if (!memory) {
      return failed(problem, "there is not enough memory for the workspace");
    }
    return Library(std::move(handle), std::move(memory));
  }

  /// The table of the model, which is valid as long as the object.
  const convoy_model &model() const noexcept { return *convoy_loaded_model(handle.get()); }
  Tensors inputs() const noexcept { return {model().inputs, model().input_count}; }
  Tensors outputs() const noexcept { return {model().outputs, model().output_count}; }

  /// Runs the model on one pointer per input and output; each buffer has the bytes that the
  /// table states. Returns CONVOY_OK or one of the codes of convoy.h.
  [[nodiscard]] int run(const void *const *inputPointers, void *const *outputPointers) noexcept {
    return model().run(inputPointers, outputPointers, memory.get());
  }

  /// Same as above. Returns CONVOY_ERROR_NULL_POINTER if a list has too few or too many pointers.
  [[nodiscard]] int run(std::initializer_list<const void *> inputPointers,
                        std::initializer_list<void *> outputPointers) noexcept {
    std::size_t symbols = model().symbol_count > 0 ? 1 : 0;
    std::size_t extents = model().extent_count > 0 ? 1 : 0;
    if (inputPointers.size() != inputs().size() + symbols ||
        outputPointers.size() != outputs().size() + extents) {
      return CONVOY_ERROR_NULL_POINTER;
    }
    return run(inputPointers.begin(), outputPointers.begin());
  }

  /// Runs the model; throws convoy::Error on failure.
  void runOrThrow(std::initializer_list<const void *> inputPointers,
                  std::initializer_list<void *> outputPointers) {
    if (int code = run(inputPointers, outputPointers); code != CONVOY_OK) {
      throw Error(code, errorText(code));
    }
  }

  /// Returns the meaning of a code and a remedy.
  const char *errorText(int code) const noexcept { return model().error_text(code); }

private:
  static constexpr std::size_t kTextBytes = 1024;

  struct Unload {
    void operator()(convoy_loaded *loaded) const noexcept { convoy_unload(loaded); }
  };
  using Handle = std::unique_ptr<convoy_loaded, Unload>;

  Library(Handle taken, detail::AlignedMemory workspace) noexcept
      : handle(std::move(taken)), memory(std::move(workspace)) {}

  static std::nullopt_t failed(std::string *problem, const char *text) {
    if (problem != nullptr) {
      *problem = text;
    }
    return std::nullopt;
  }

  Handle handle;
  detail::AlignedMemory memory;
};

} // namespace convoy

#endif // CONVOY_LIBRARY_HPP
