// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts Tensor to ElementsAttr and back. A small tensor of a type that
// MLIR's dense attributes support becomes a dense attribute; any other tensor
// becomes a resource blob. A dense attribute packs i1 to bits, so this file
// converts i1 element by element.

#include "Graph/Constant.h"
#include "Graph/Graph.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"
#include <cstring>

using namespace mlir;

namespace convoy::graph {
namespace {

// Largest constant in bytes that is printed as text; a larger one becomes a
// blob.
constexpr int64_t kTextBytes = 64;

/// Returns a blob that keeps the tensor's bytes alive.
AsmResourceBlob blobOf(const Tensor &tensor) {
  auto keep = std::make_shared<Tensor>(tensor);
  ArrayRef<char> data(static_cast<const char *>(tensor.raw()), tensor.bytes());
  return AsmResourceBlob(
      data, /*dataAlignment=*/1, [keep](void *, size_t, size_t) {}, /*dataIsMutable=*/false);
}

std::string contentName(const Tensor &tensor) {
  ArrayRef<uint8_t> data(static_cast<const uint8_t *>(tensor.raw()), tensor.bytes());
  llvm::XXH128_hash_t hash = llvm::xxh3_128bits(data);
  return ("w" + llvm::Twine::utohexstr(hash.high64) + "_" + llvm::Twine::utohexstr(hash.low64))
      .str();
}

/// Returns whether a dense attribute can hold elements of this type.
bool isDenseType(ElementType type) {
  return type != ElementType::F4E2M1 && type != ElementType::F8E8M0 &&
         type != ElementType::String && type != ElementType::Complex64 &&
         type != ElementType::Complex128 && bitWidth(type) >= 8;
}

ElementsAttr textAttr(const Tensor &tensor, RankedTensorType type) {
  if (tensor.type() == ElementType::Bool) {
    SmallVector<bool> bits(tensor.data<bool>(), tensor.data<bool>() + tensor.size());
    return DenseElementsAttr::get(type, bits);
  }
  ArrayRef<char> data(static_cast<const char *>(tensor.raw()), tensor.bytes());
  return DenseElementsAttr::getFromRawBuffer(type, data);
}

/// Returns the blob with this content, creating it if necessary.
DenseResourceElementsHandle blobHandle(const Tensor &tensor, MLIRContext *context) {
  auto &manager = DenseResourceElementsHandle::getManagerInterface(context);
  std::string name = contentName(tensor);
  if (auto *entry = manager.getBlobManager().lookup(name)) {
    return {entry, context->getLoadedDialect<BuiltinDialect>()};
  }
  return manager.insert(name, blobOf(tensor));
}

Tensor stringsOf(DenseStringElementsAttr attr) {
  Tensor result(ElementType::String, attr.getType().getShape());
  auto values = attr.getRawStringData();
  for (auto [i, text] : llvm::enumerate(result.mutableStrings())) {
    text = values[attr.isSplat() ? 0 : i].str();
  }
  return result;
}

/// Copies the elements of a dense attribute; expands splats and extends the sign of
/// elements narrower than a byte, whose upper bits are zero in the attribute.
Tensor copyOf(DenseElementsAttr attr) {
  Tensor result(fromMlir(attr.getElementType()), attr.getType().getShape());
  if (result.type() == ElementType::Bool) {
    bool *out = result.mutableData<bool>();
    llvm::copy(attr.getValues<bool>(), out);
    return result;
  }
  ArrayRef<char> raw = attr.getRawData();
  char *out = result.mutableData<char>();
  size_t step = storageBytes(result.type());
  for (int64_t i = 0; i < result.size(); ++i) {
    std::memcpy(out + i * step, raw.data() + (attr.isSplat() ? 0 : i * step), step);
  }
  for (int64_t i = 0; bitWidth(result.type()) < 8 && i < result.size(); ++i) {
    result.setInt(i, result.asInt(i));
  }
  return result;
}

} // namespace

RankedTensorType typeOf(const Tensor &tensor, MLIRContext *context) {
  return RankedTensorType::get(tensor.shape(), toMlir(tensor.type(), context));
}

ElementsAttr toElementsAttr(const Tensor &tensor, MLIRContext *context) {
  RankedTensorType type = typeOf(tensor, context);
  if (tensor.type() == ElementType::String) {
    SmallVector<StringRef> values(tensor.strings().begin(), tensor.strings().end());
    return DenseStringElementsAttr::get(type, values);
  }
  if (tensor.bytes() <= kTextBytes && isDenseType(tensor.type())) {
    return textAttr(tensor, type);
  }
  return DenseResourceElementsAttr::get(type, blobHandle(tensor, context));
}

Tensor toTensor(ElementsAttr elements) {
  if (auto strings = dyn_cast<DenseStringElementsAttr>(elements)) {
    return stringsOf(strings);
  }
  if (auto dense = dyn_cast<DenseElementsAttr>(elements)) {
    return copyOf(dense);
  }
  auto resource = cast<DenseResourceElementsAttr>(elements);
  const AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  // The context owns the blob and outlives every tensor that references it.
  return Tensor::view(fromMlir(resource.getElementType()), resource.getType().getShape(),
                      blob->getData().data(), nullptr);
}

std::optional<Tensor> constantValue(Value value) {
  auto op = value ? value.getDefiningOp<ConstantOp>() : nullptr;
  return op ? std::optional<Tensor>(toTensor(op.getValue())) : std::nullopt;
}

Value constant(OpBuilder &builder, Location loc, const Tensor &tensor) {
  ElementsAttr elements = toElementsAttr(tensor, builder.getContext());
  return builder.create<ConstantOp>(loc, cast<TensorType>(elements.getType()), elements);
}

Value intVector(OpBuilder &builder, Location loc, ArrayRef<int64_t> values) {
  return constant(builder, loc, Tensor::vector(values));
}

} // namespace convoy::graph
