internal import CofferFormat
internal import CofferTrust

extension Membership {
  /// Returns a name for a new machine: the given one or, if a machine has it, that one with the smallest free number:
  /// `laptop-2`.
  package func unusedDeviceName(_ name: String) -> String {
    let used = Set(devices.values.map(\.name))
    var candidate = name
    var number = 2
    while used.contains(candidate) {
      let suffix = "-\(number)"
      var stem = name
      while stem.utf8.count + suffix.utf8.count > Limits.deviceNameByteCount { stem.removeLast() }
      candidate = stem + suffix
      number += 1
    }
    return candidate
  }
}
