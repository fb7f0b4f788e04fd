// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bm1880 dialect and the instruction table that the writer, the reader, the verifier and the
// simulator share. An op is one instruction; its attributes are the fields in the order of the
// text.

#ifndef CONVOY_BM1880_TD
#define CONVOY_BM1880_TD

include "mlir/IR/OpBase.td"

def BM1880_Dialect : Dialect {
  let name = "bm1880";
  let cppNamespace = "::convoy::bm1880";
  let summary = "Instructions of the Bitmain BM1880 in its text format";
  let description = [{
    Addresses in global memory (`gaddr`, `ga_`) are byte offsets into one of two spaces: neurons
    (activations) and weights. Addresses in local memory (`laddr`, `la_`) are byte offsets into
    each of 32 lanes of 64 KiB. Channel c of a tensor is stored on lane c mod 32, behind channel
    c - 32. Planes of activations start at multiples of 16 bytes. Activations and weights are i8.
    Biases are i16, stored as a plane of low bytes and a plane of high bytes. There are no zero
    points. A shift by s computes `(x + 2^(s-1)) >> s`, and results saturate.
  }];
}

/// Verifies that the attributes of an op are the fields of its instruction.
def BM1880_HasKnownFields : NativeOpTrait<"HasKnownFields"> {
  let cppNamespace = "::convoy::bm1880";
}

// Abbreviations of field lists that several instructions share.
defvar kInput = "i32 input_n input_c input_h input_w";
defvar kTransfer =
    "i32 Local_N Local_C Local_H Local_W Global_C Global_H Global_W; bool DoTranspose DoAligned "
    "isNeuron";

/// `fields` is "type name ...; ..." with the types u64, u32, i32, f32, bool and method (an
/// activation); `type*` is a list. `number` is the field number in the protobuf message Inst.
class BM1880_Inst<string mnemonic, int number, string kernel, string fields>
    : Op<BM1880_Dialect, mnemonic, [BM1880_HasKnownFields]> {
  let description = [{
    - [inst.1] every field is present, with a number or a list of numbers of its type.
    - [inst.2] the only other attribute is `name`, a string.
  }];
  let extraClassDeclaration =
      "static constexpr int kNumber = " # number # ";\n" #
      "static constexpr ::llvm::StringLiteral kKernel = \"" # kernel # "_bmkernel\";\n" #
      "static constexpr ::llvm::StringLiteral kFields = \"" #
      !subst("INPUT", kInput, !subst("TRANSFER", kTransfer, fields)) # "\";\n";
}

// Kernels that read and write global memory.

def BM1880_PoolingOp : BM1880_Inst<"pooling", 4, "bmnet_pooling_fixed_forward",
    "u64 ifmap_gaddr ofmap_gaddr index_gaddr o_findex_gaddr; i32 n c h w kh kw pad_top pad_bot "
    "pad_left pad_right stride_h stride_w is_avg_pooling; f32 avg_const; i32 do_relu "
    "right_shift_width; i32* threshold_x_quantized; bool ceil_mode"> {
  let summary = "Maximum or sum of each window, multiplied and shifted";
}

defvar kConvFields =
    "u64 ga_ifmap ga_ofmap ga_weight ga_bias ga_bn_mean ga_bn_variance ga_scale ga_scale_bias; "
    "INPUT; i32 groups output_c; u32 kh kw dilation_h dilation_w pad_h pad_w stride_h stride_w; "
    "i32 result_add do_bias do_bn do_scale do_scale_bias do_activation; f32 bn_scale bn_eps; "
    "i32 activation_method; f32* activation_arg; u64 activation_ga_slope; "
    "bool activation_channel_shared; i32 activation_gt_scale activation_gt_rshift "
    "activation_le_scale activation_le_rshift right_shift_width bn_right_shift_width ";

def BM1880_ConvOp : BM1880_Inst<"conv", 5, "bmnet_conv_fixed_forward",
    kConvFields # "scalar_right_shift_width; bool use_winograd"> {
  let summary = "Same as conv_p; not emitted";
}
def BM1880_ConvPOp : BM1880_Inst<"conv_p", 6, "bmnet_conv_parallel_fixed_forward",
    kConvFields # "scale_right_shift_width; bool use_winograd"> {
  let summary = "(convolution + bias) shifted, then relu; weights are O x HW x I";
}
def BM1880_FcOp : BM1880_Inst<"fc", 7, "bmnet_fc_fixed_forward",
    "u64 bottom_data_gaddr weight_data_gaddr bias_data_gaddr top_data_gaddr; i32 input_row_num "
    "input_col_num weight_col_num have_bias do_activation activation_method; u64 "
    "activation_ga_slope; i32 activation_channel_shared activation_gt_scale activation_gt_rshift "
    "activation_le_scale activation_le_rshift; bool weight_transpose; i32 left_shift_width "
    "right_shift_width"> {
  let summary = "(rows x weights + bias) shifted, then relu; transposed weights are O x I";
}
def BM1880_ReluOp : BM1880_Inst<"relu", 8, "bmnet_relu_fixed_forward",
    "u64 bottom_gaddr top_gaddr; f32 negative_slope; INPUT"> {
  let summary = "max(x, 0) of each element";
}
def BM1880_LeakyReluOp : BM1880_Inst<"leakyrelu", 9, "bmnet_leakyrelu_fixed_forward",
    "u64 input_gaddr output_gaddr; INPUT; i32 GT_right_shift_width LE_right_shift_width "
    "GT_scale LE_scale"> {
  let summary = "Scales positive elements by GT_scale and other elements by LE_scale; not emitted";
}
def BM1880_PReluOp : BM1880_Inst<"prelu", 10, "bmnet_prelu_fixed_forward",
    "u64 input_gaddr slope_gaddr output_gaddr; i32 channel_shared slope; INPUT; i32 GT_scale "
    "GT_right_shift_width LE_right_shift_width"> {
  let summary = "Multiplies negative elements with a slope per channel; not emitted";
}
def BM1880_BatchNormOp : BM1880_Inst<"batchnorm", 11, "bmnet_batchnorm_fixed_forward_inference",
    "u64 bottom_gaddr mean_ma_gaddr variance_ma_gaddr top_gaddr; INPUT; i32 right_shift_width"> {
  let summary = "Batch normalization; not emitted, because it is folded into the weights before quantization";
}
def BM1880_ScaleOp : BM1880_Inst<"scale", 12, "bmnet_scale_fixed_forward",
    "u64 input_gaddr scale_gaddr bias_gaddr output_gaddr; INPUT; i32 scale_dim inner_dim "
    "right_shift_width"> {
  let summary = "(input * scale + bias) shifted, with scale and bias per channel";
}
def BM1880_ReshapeOp : BM1880_Inst<"reshape", 13, "bmnet_reshape_fixed_forward",
    "u64 input_gaddr output_gaddr; i32 output_dim_len; i32* output_dim"> {
  let summary = "Copies a tensor; not emitted, because a reshape shares the address of its input";
}
def BM1880_SplitOp : BM1880_Inst<"split", 14, "bmnet_split_fixed_forward",
    "u64 bottom_gaddr; u64* top_gaddr; i32 top_size; INPUT"> {
  let summary = "Copies one tensor several times; not emitted";
}
def BM1880_ConcatOp : BM1880_Inst<"concat", 15, "bmnet_concat_fixed_forward",
    "u64* input_gaddrs; u64 output_gaddr; i32* input_dims; i32 input_num concat_axis "
    "output_dim_len; i32* output_dim; i32 need_quantize_num; i32* right_shift_width "
    "threshold_x_quantized"> {
  let summary = "Concatenates tensors, each multiplied and shifted";
}
def BM1880_EltwiseOp : BM1880_Inst<"eltwise", 16, "bmnet_eltwise_fixed_forward",
    "u64* ga_input; u64 ga_output; i32 input_size op; INPUT; bool do_relu; f32 relu_slope; "
    "i32 right_shift_width; i32* threshold_x_quantized"> {
  let summary = "Product (op 0) or sum (op 1) of tensors, each multiplied, then shifted";
}
def BM1880_PermuteOp : BM1880_Inst<"permute", 17, "bmnet_permute_fixed_forward",
    "u64 input_gaddr output_gaddr; INPUT; i32 output_n output_c output_h output_w order_n "
    "order_c order_h order_w; bool need_permute"> {
  let summary = "Dimension i of the result is dimension order[i] of the input";
}
def BM1880_PriorBoxOp : BM1880_Inst<"priorbox", 18, "bmnet_priorbox_fixed_forward",
    "u64 weight_data_gaddr output_gaddr; i32 output_c output_h output_w"> {
  let summary = "Prior boxes, computed at compile time; not emitted";
}
def BM1880_LrnOp : BM1880_Inst<"lrn", 19, "bmnet_lrn_fixed_forward",
    "u64 bottom_gaddr top_gaddr sqr_lut_gaddr power_lut_gaddr; INPUT; i32 size "
    "sum_right_shift_width lrn_right_shift_width; i32* threshold_x_quantized"> {
  let summary = "Local response normalization with two lookup tables";
}
def BM1880_UpsampleOp : BM1880_Inst<"upsample", 20, "bmnet_upsample_fixed",
    "u64 ga_ifmap ga_ofmap; INPUT; i32 size"> {
  let summary = "Repeats each element `size` x `size` times; not emitted";
}
def BM1880_NormalizeOp : BM1880_Inst<"normalize", 21, "bmnet_normalize_fixed_forward",
    "u64 input_gaddr output_gaddr; bool has_scale_blob; u64 scale_gaddr sqr_lut_gaddr "
    "sqrt_lut_gaddr; bool across_spatial channel_shared; i32* scales; INPUT; i32 "
    "sum_right_shift_width norma_right_shift_width scale_right_shift_width; "
    "i32* threshold_x_quantized"> {
  let summary = "L2 normalization with lookup tables; not emitted";
}

// Kernels that read and write local memory.

def BM1880_TlConvOp : BM1880_Inst<"bm_tl_conv", 22, "bmnet_tl_conv_forward",
    "u64 la_ifmap la_ofmap la_weight la_bias; u32* group_weight group_bias; INPUT; i32 group "
    "output_c output_h output_w; u32 kh kw dh dw pad_h_top pad_h_bottom pad_w_left "
    "pad_w_right stride_h stride_w result_add ctrl; i32 rshift; bool do_bias use_winograd "
    "do_relu"> {
  let summary = "Same as conv_p with one group; each lane stores the weights of its output channels";
}
def BM1880_TlActivationOp : BM1880_Inst<"tl_activation", 23, "bmnet_tl_activation_forward",
    "u64 input_laddr output_laddr weight_laddr; INPUT; i32 gt_rshift le_rshift gt_scale "
    "le_scale gt_right_shift_width le_right_shift_width activation_arg_len; f32* activation_arg; "
    "bool channel_shared; method activation_type"> {
  let summary = "Applies an activation; not emitted";
}
// The text format has this spelling.
def BM1880_TlScaleOp : BM1880_Inst<"tl_csale", 24, "bmnet_tl_scale_forward",
    "u64 input_laddr output_laddr scale_laddr bias_laddr; INPUT; i32 scale_dim "
    "right_shift_width; bool do_bias do_relu; f32 relu_slope"> {
  let summary = "Same as scale; not emitted";
}
def BM1880_TlBatchNormOp : BM1880_Inst<"tl_bn", 25, "bmnet_tl_batchnorm_forward",
    "u64 bottom_laddr top_laddr mean_laddr variance_laddr; INPUT; i32 right_shift_width; "
    "bool do_relu"> {
  let summary = "Same as batchnorm; not emitted";
}
def BM1880_TlEltwiseOp : BM1880_Inst<"tl_eltwise", 26, "bmnet_tl_eltwise_forward",
    "u64* la_input; u64 la_output la_working; INPUT; i32 input_size right_shift_width op; "
    "i32* threshold_x_quantized; bool use_default_coeff do_relu; f32 relu_slope"> {
  let summary = "Same as eltwise";
}
def BM1880_TlLrnOp : BM1880_Inst<"tl_lrn", 27, "bmnet_tl_lrn_forward",
    "u64 bottom_laddr top_laddr sqr_lut_laddr power_lut_laddr working_laddr; INPUT; i32 size "
    "sum_right_shift_width lrn_right_shift_width; i32* threshold_x_quantized"> {
  let summary = "Same as lrn; not emitted";
}
def BM1880_TlPoolOp : BM1880_Inst<"tl_pool", 28, "bmnet_tl_pooling_forward",
    "u64 ifmap_laddr ofmap_laddr; INPUT; i32 output_n output_c output_h output_w; u32 kh kw "
    "stride_h stride_w pad_h_top pad_h_bottom pad_w_left pad_w_right; bool is_avg_pooling; "
    "i32 right_shift_width threshold_x_quantized"> {
  let summary = "Same as pooling";
}
def BM1880_TlUpsampleOp : BM1880_Inst<"tl_upsample", 29, "bmnet_tl_upsample_forward",
    "u64 la_ifmap la_ofmap; INPUT; i32 output_h output_w size"> {
  let summary = "Same as upsample; not emitted";
}

// Transfers between global and local memory.

def BM1880_TlLoadStrideOp : BM1880_Inst<"tl_layer_load_stride", 30, "bmnet_tl_load_stride",
    "u64 ga_src la_dst; TRANSFER"> {
  let summary = "Loads a box of Local sizes from a global tensor of Global sizes to local memory";
}
def BM1880_TlLoadOp : BM1880_Inst<"tl_layer_load", 31, "bmnet_tl_load",
    "u64 ga_src la_dst; TRANSFER"> {
  let summary = "Same as tl_layer_load_stride; not emitted";
}
def BM1880_TlStoreStrideOp : BM1880_Inst<"tl_layer_store_stride", 32, "bmnet_tl_store_stride",
    "u64 ga_dst la_src; TRANSFER"> {
  let summary = "Stores a box of Local sizes from local memory to a global tensor of Global sizes";
}
def BM1880_TlStoreOp : BM1880_Inst<"tl_layer_store", 33, "bmnet_tl_store",
    "u64 ga_dst la_src; TRANSFER"> {
  let summary = "Same as tl_layer_store_stride; not emitted";
}
// The published sources do not name the fields of this instruction; the names follow tl_activation.
def BM1880_TlReluOp : BM1880_Inst<"tl_relu", 34, "bmnet_tl_relu_forward",
    "u64 input_laddr output_laddr; INPUT"> {
  let summary = "Same as relu; not emitted";
}

#endif // CONVOY_BM1880_TD
