// RUN: convoy-opt %s -verify-diagnostics

// expected-error@+1 {{expects the attribute 'codegen.model' to be a string, found 1 : i64}}
module attributes {codegen.model = 1} {
}
