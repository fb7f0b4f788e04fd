// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wraps a compiled model as a C++17 object that owns the workspace and knows the types of
// the model's tensors. This header needs no library. Inference neither allocates nor
// throws.
//
//   #include "net.h"                 // written by `convoy compile net.onnx`
//   #include <convoy/convoy.hpp>
//
//   convoy::Model<net_run, NET_WORKSPACE_BYTES, net_error_text> model;
//   convoy::Buffer<float, NET_INPUT_0_ELEMENTS> image;
//   convoy::Buffer<float, NET_OUTPUT_0_ELEMENTS> scores;
//   if (int code = model.run({image.data()}, {scores.data()})) {
//     std::puts(model.errorText(code));
//   }
//
// convoy::Library loads a library that is known only at run time; link Convoy::load.

#ifndef CONVOY_CONVOY_HPP
#define CONVOY_CONVOY_HPP

#include "convoy/convoy.h"

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace convoy {

/// The alignment that the workspace of a model requires, and with which tensors are
/// fastest.
inline constexpr std::size_t kAlignmentBytes = 64;

/// A return code as an exception. Only runOrThrow() throws it.
class Error : public std::runtime_error {
public:
  Error(int code, const char *text) : std::runtime_error(text), value(code) {}

  int code() const noexcept { return value; }

private:
  int value;
};

/// Returns whether a linked model is the model of the program's header: isModelOf(net_model(),
/// NET_HASH). A program calls it once at its start, because the dynamic loader may find the library
/// of another compilation.
inline bool isModelOf(const convoy_model *model, const char *headerHash) noexcept {
  return std::strcmp(model->hash, headerHash) == 0;
}

/// Refers to the elements of a tensor without owning them. The number of elements is part
/// of the type, so a buffer of the wrong size does not compile.
template <typename T, std::size_t count>
class Span {
public:
  using value_type = std::remove_const_t<T>;

  constexpr Span(T (&elements)[count]) noexcept : first(elements) {}
  template <typename U, typename = std::enable_if_t<std::is_convertible_v<U (*)[], T (*)[]>>>
  constexpr Span(std::array<U, count> &elements) noexcept : first(elements.data()) {}
  template <typename U, typename = std::enable_if_t<std::is_convertible_v<const U (*)[], T (*)[]>>>
  constexpr Span(const std::array<U, count> &elements) noexcept : first(elements.data()) {}
  template <typename U, typename = std::enable_if_t<std::is_convertible_v<U (*)[], T (*)[]>>>
  constexpr Span(Span<U, count> other) noexcept : first(other.data()) {}

  /// Returns the first `count` of `size` elements, or nothing if there are fewer.
  static constexpr std::optional<Span> from(T *data, std::size_t size) noexcept {
    return data != nullptr && size >= count ? std::optional<Span>(Span(data)) : std::nullopt;
  }

  constexpr T *data() const noexcept { return first; }
  static constexpr std::size_t size() noexcept { return count; }
  constexpr T *begin() const noexcept { return first; }
  constexpr T *end() const noexcept { return first + count; }
  constexpr T &operator[](std::size_t index) const noexcept { return first[index]; }

private:
  explicit constexpr Span(T *data) noexcept : first(data) {}

  T *first;
};

namespace detail {

struct FreeAligned {
  std::size_t alignment = kAlignmentBytes;

  void operator()(void *memory) const noexcept {
    ::operator delete(memory, std::align_val_t(alignment));
  }
};

using AlignedMemory = std::unique_ptr<void, FreeAligned>;

/// Returns null if there is not enough memory.
inline AlignedMemory allocate(std::size_t bytes, std::size_t alignment = kAlignmentBytes) noexcept {
  return AlignedMemory(
      ::operator new(bytes > 0 ? bytes : 1, std::align_val_t(alignment), std::nothrow),
      FreeAligned{alignment});
}

/// Never returns null; throws std::bad_alloc.
inline AlignedMemory allocateOrThrow(std::size_t bytes) {
  AlignedMemory memory = allocate(bytes);
  if (!memory) {
    throw std::bad_alloc();
  }
  return memory;
}

/// The types of the structures that <model>_run takes.
template <typename Run>
struct RunTypes;
template <typename In, typename Out>
struct RunTypes<int (*)(const In *, Out *, void *)> {
  using Inputs = In;
  using Outputs = Out;
};
template <typename In, typename Out>
struct RunTypes<int (*)(const In *, Out *, void *) noexcept>
    : RunTypes<int (*)(const In *, Out *, void *)> {};

} // namespace detail

/// Owns the aligned memory of a tensor on the heap, initialized with zeros. It can be moved
/// but not copied.
template <typename T, std::size_t count>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>, "elements of a tensor are plain numbers");

public:
  /// Throws std::bad_alloc.
  Buffer() : memory(detail::allocateOrThrow(count * sizeof(T))) {
    std::uninitialized_value_construct_n(data(), count);
  }

  T *data() noexcept { return static_cast<T *>(memory.get()); }
  const T *data() const noexcept { return static_cast<const T *>(memory.get()); }
  static constexpr std::size_t size() noexcept { return count; }
  T *begin() noexcept { return data(); }
  T *end() noexcept { return data() + count; }
  const T *begin() const noexcept { return data(); }
  const T *end() const noexcept { return data() + count; }
  T &operator[](std::size_t index) noexcept { return data()[index]; }
  const T &operator[](std::size_t index) const noexcept { return data()[index]; }

  operator Span<T, count>() noexcept { return *Span<T, count>::from(data(), count); }
  operator Span<const T, count>() const noexcept {
    return *Span<const T, count>::from(data(), count);
  }

private:
  detail::AlignedMemory memory;
};

/// A model with its own workspace. Only one thread at a time may use an object. Threads
/// that run the same model concurrently each need an object; the objects share code and
/// weights.
///
/// `runFunction` is <model>_run. If `textFunction` is <model>_error_text, errorText() names
/// the missing CPU features. Without it, link Convoy::runtime.
template <auto runFunction, std::size_t workspaceBytes,
          const char *(*textFunction)(int) = &convoy_error_text>
class Model {
  using Types = detail::RunTypes<decltype(+runFunction)>;

public:
  using Inputs = typename Types::Inputs;
  using Outputs = typename Types::Outputs;

  /// Allocates the workspace on the heap; throws std::bad_alloc.
  Model() : memory(detail::allocateOrThrow(workspaceBytes)) {}

  /// Creates a model without exceptions. Returns nothing if there is not enough memory.
  static std::optional<Model> make() noexcept {
    detail::AlignedMemory memory = detail::allocate(workspaceBytes);
    return memory ? std::optional<Model>(Model(std::move(memory))) : std::nullopt;
  }

  /// Runs the model. Returns CONVOY_OK or one of the codes of convoy.h.
  [[nodiscard]] int run(const Inputs &inputs, Outputs outputs) noexcept {
    return runFunction(&inputs, &outputs, memory.get());
  }

  /// Runs the model; throws convoy::Error on failure.
  void runOrThrow(const Inputs &inputs, Outputs outputs) {
    if (int code = run(inputs, outputs); code != CONVOY_OK) {
      throw Error(code, errorText(code));
    }
  }

  /// Returns the meaning of a code and a remedy.
  static const char *errorText(int code) noexcept { return textFunction(code); }

private:
  explicit Model(detail::AlignedMemory taken) noexcept : memory(std::move(taken)) {}

  detail::AlignedMemory memory;
};

} // namespace convoy

#include "convoy/library.hpp"

#endif // CONVOY_CONVOY_HPP
