// RUN: convoy-opt %s -verify-diagnostics

// expected-error@+1 {{expects the attribute 'place.placement' to be a dictionary with the fields of a placement, found {ops = 1 : i64}}}
func.func @placement_without_device() attributes {place.placement = {ops = 1 : i64}} {
  return
}
