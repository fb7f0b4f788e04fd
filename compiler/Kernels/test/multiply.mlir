// RUN: convoy-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: @forms
func.func @forms(%sums: vector<16xi32>, %x: vector<16xi32>, %w: vector<16xi32>, %y: vector<4xi64>, %v: vector<4xi32>) {
  // CHECK: kernel.dot_bytes bytes us %{{.*}}, %{{.*}}, %{{.*}} : vector<16xi32>
  %0 = kernel.dot_bytes bytes us %sums, %x, %w : vector<16xi32>
  // CHECK: kernel.dot_bytes sdot ss %{{.*}}, %{{.*}}, %{{.*}} : vector<4xi32>
  %3 = kernel.dot_bytes sdot ss %v, %v, %v : vector<4xi32>
  // CHECK: kernel.matmul_bytes %{{.*}}, %{{.*}}, %{{.*}} : vector<4xi32>
  %4 = kernel.matmul_bytes %v, %v, %v : vector<4xi32>
  // CHECK: kernel.dot_words pairs %{{.*}}, %{{.*}}, %{{.*}} : vector<16xi32>
  %1 = kernel.dot_words pairs %sums, %x, %w : vector<16xi32>
  // CHECK: kernel.multiply_halves %{{.*}}, %{{.*}} : vector<4xi64>
  %2 = kernel.multiply_halves %y, %y : vector<4xi64>
  return
}

// -----

// [dot_bytes.1]
func.func @pairs_have_no_byte_products(%v: vector<16xi32>) {
  // expected-error @+1 {{expects a form with an instruction for four byte products, got 'pairs' with signs 'us'}}
  %0 = kernel.dot_bytes pairs us %v, %v, %v : vector<16xi32>
  return
}

// -----

// [dot_bytes.1]
func.func @vnni_has_unsigned_bytes(%v: vector<16xi32>) {
  // expected-error @+1 {{expects a form with an instruction for four byte products, got 'bytes' with signs 'ss'}}
  %0 = kernel.dot_bytes bytes ss %v, %v, %v : vector<16xi32>
  return
}

// -----

// [dot_bytes.2]
func.func @vectors_fit_registers(%v: vector<32xi32>) {
  // expected-error @+1 {{expects vectors of 4, 8 or 16 lanes, got 32}}
  %0 = kernel.dot_bytes bytes us %v, %v, %v : vector<32xi32>
  return
}

// -----

// [dot_bytes.2]
func.func @vectors_fit_registers_of_arm(%v: vector<8xi32>) {
  // expected-error @+1 {{expects vectors of 4 lanes for form 'sdot', got 8}}
  %0 = kernel.dot_bytes sdot ss %v, %v, %v : vector<8xi32>
  return
}

// -----

// [dot_words.1]
func.func @words_need_an_instruction(%v: vector<8xi32>) {
  // expected-error @+1 {{expects a form with an instruction for two word products, got 'none'}}
  %0 = kernel.dot_words none %v, %v, %v : vector<8xi32>
  return
}

// -----

// [dot_words.2]
func.func @words_fit_registers(%v: vector<2xi32>) {
  // expected-error @+1 {{expects vectors of 4, 8 or 16 lanes, got 2}}
  %0 = kernel.dot_words pairs %v, %v, %v : vector<2xi32>
  return
}

// -----

// [multiply_halves.1]
func.func @halves_fit_registers(%v: vector<16xi64>) {
  // expected-error @+1 {{expects vectors of 2, 4 or 8 lanes, got 16}}
  %0 = kernel.multiply_halves %v, %v : vector<16xi64>
  return
}
