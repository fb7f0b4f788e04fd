// RUN: convoy-opt %s -split-input-file -verify-diagnostics

// expected-error@+1 {{expects the attribute 'layout.measurements' to be a dictionary of the string hash and the integers kernels, tuned and kept, found {hash = "1a"}}}
module attributes {layout.measurements = {hash = "1a"}} {
}

// -----

func.func @wrong_reasons() {
  // expected-error@+1 {{expects the attribute 'layout.reasons' to be a dictionary of refusals and remark, found {refusals = ["loops"], remark = ""}}}
  return {layout.reasons = {refusals = ["loops"], remark = ""}}
}

// -----

// expected-error@+1 {{has the attribute 'layout.measured', which belongs on an op}}
func.func @measured_function() attributes {layout.measured = []} {
  return
}
