extension BinaryInteger {
  /// The number of bytes for people, in the decimal unit that fits: "999 bytes", "12 kB", "3.4 MB" or "1.25 GB".
  package var byteCountText: String {
    let count = Double(self)
    guard count.magnitude >= 1_000 else { return self == 1 ? "1 byte" : "\(self) bytes" }
    let units = [("kB", 1e3, 0), ("MB", 1e6, 1), ("GB", 1e9, 2), ("TB", 1e12, 2)]
    for (unit, size, digits) in units {
      let scale = Double([1, 10, 100][digits])
      let hundredths = (count / size * scale).rounded(.toNearestOrEven)
      // What rounds to 1,000 of a unit is 1 of the next.
      guard unit == "TB" || hundredths.magnitude < 1_000 * scale else { continue }
      // Swift prints no more digits than are needed.
      let text = "\(hundredths / scale)"
      return "\(text.hasSuffix(".0") ? String(text.dropLast(2)) : text) \(unit)"
    }
    return "\(self) bytes"
  }
}
