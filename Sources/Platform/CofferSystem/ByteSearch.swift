extension Collection<UInt8> {
  /// The place after the first occurrence of a text; nil if there is none. `firstRange(of:)` of Swift's library takes a
  /// microsecond for each byte, and a file to import has millions.
  @inlinable package func end(ofText text: String) -> Index? {
    let wanted = Array(text.utf8)
    var rest = self[...]
    while let place = rest.firstIndex(of: wanted[0]) {
      if rest[place...].starts(with: wanted) { return rest.index(place, offsetBy: wanted.count) }
      rest = rest[rest.index(after: place)...]
    }
    return nil
  }
}

extension Sequence<UInt8> {
  /// Whether a text occurs in the bytes.
  package func hasText(_ text: String) -> Bool {
    let found = withContiguousStorageIfAvailable { bytes in unsafe bytes.end(ofText: text) != nil }
    return found ?? Array(self).hasText(text)
  }
}
