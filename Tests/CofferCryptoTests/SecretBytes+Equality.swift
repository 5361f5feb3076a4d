import CofferCrypto

extension SecretBytes {
  /// Returns true if both secrets have the same bytes. Not in constant time: for tests only.
  func isEqual(to other: SecretBytes) -> Bool {
    unsafe withBytes { own in unsafe other.withBytes { theirs in unsafe own.elementsEqual(theirs) } }
  }
}
