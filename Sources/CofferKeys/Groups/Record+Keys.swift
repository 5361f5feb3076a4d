package import CofferCrypto
package import CofferFormat

extension Record {
  /// Seals and signs a version under a group's keys. A tombstone has no attributes and no value.
  package init(
    header: RecordHeader, attributes: ItemAttributes?, value: [UInt8], keys: GroupKeys, signer: SigningKey
  ) {
    self.init(header: header, signer: signer) { part, headerHash in
      let plain =
        switch part {
        case .attributes: (attributes ?? ItemAttributes()).bytes
        case .value: value
        }
      return keys.seal(part, plain, headerHash: headerHash)
    }
  }

  /// Opens the attributes.
  package func attributes(with keys: GroupKeys) throws(FormatError) -> ItemAttributes {
    try ItemAttributes(bytes: try open(.attributes, sealedAttributes, keys))
  }

  /// Opens the value.
  package func value(with keys: GroupKeys) throws(FormatError) -> [UInt8] {
    try open(.value, sealedValue, keys)
  }

  private func open(_ part: RecordPart, _ sealed: [UInt8], _ keys: GroupKeys) throws(FormatError) -> [UInt8] {
    do throws(CryptoError) {
      return try keys.open(part, sealed, headerHash: headerHash)
    } catch {
      throw FormatError(.doesNotOpen, object: ObjectKind.record.name, field: part == .value ? "value" : "attributes")
    }
  }
}
