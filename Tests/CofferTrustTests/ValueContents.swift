import CofferCrypto

@testable import CofferTrust

/// Returns everything that a value stores, in a form that does not depend on the order of sets: also what its `==` does
/// not compare, and properties that were added later.
func contents(of value: Any) -> String {
  switch value {
  case let value as [UInt8]: return hexadecimal(value)
  case let value as Bytes32: return value.hex
  case let value as Bytes16: return value.hex
  case let value as KeyBoxes: return contents(of: value.all)
  default: break
  }
  let mirror = Mirror(reflecting: value)
  let children = mirror.children.map { child in (child.label.map { "\($0): " } ?? "") + contents(of: child.value) }
  switch mirror.displayStyle {
  case .dictionary, .set: return "[" + children.sorted().joined(separator: ",\n") + "]"
  case nil, .enum:
    return children.isEmpty ? "\(value)" : "\(mirror.subjectType)(" + children.joined(separator: ", ") + ")"
  default: return "\(mirror.subjectType)(" + children.joined(separator: ", ") + ")"
  }
}
