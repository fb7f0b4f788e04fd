// RUN: convoy-opt %s -verify-diagnostics -pass-pipeline='builtin.module(convoy-codegen-check-contract)'

llvm.func @calls_within_the_model_pass(%x: f32) -> f32 {
  %y = llvm.fadd %x, %x : f32
  llvm.return %y : f32
}

// expected-error@+1 {{'func.func' op breaks [codegen.1]: it remains after the codegen stage, which must lower every op to the LLVM dialect}}
func.func private @other_dialects_are_refused()

// expected-error@+1 {{'llvm.func' op breaks [codegen.2]: it has no body, and compiled models link no library that could define it}}
llvm.func @expf(f32) -> f32

llvm.func @fast_math_is_refused(%x: f32) -> f32 {
  // expected-error@+1 {{'llvm.fadd' op breaks [codegen.3]: it has fast-math flags; floats are never reassociated}}
  %y = llvm.fadd %x, %x {fastmathFlags = #llvm.fastmath<reassoc>} : f32
  llvm.return %y : f32
}
