extension Sequence<UInt8> {
  /// Whether a text occurs in the bytes. `firstRange(of:)` of Swift's library takes a microsecond for each byte, and a
  /// file to import has millions.
  package func hasText(_ text: String) -> Bool {
    let wanted = Array(text.utf8)
    let found = withContiguousStorageIfAvailable { bytes in
      var rest = unsafe bytes[...]
      while let place = unsafe rest.firstIndex(of: wanted[0]) {
        if unsafe rest[place...].starts(with: wanted) { return true }
        unsafe rest = rest[(place + 1)...]
      }
      return false
    }
    return found ?? Array(self).hasText(text)
  }
}
