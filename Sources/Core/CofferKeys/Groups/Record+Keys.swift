package import CofferCrypto
package import CofferFormat

extension Record {
  /// Seals and signs a version under a group's keys. A tombstone has no attributes and no value.
  package init(
    header: RecordHeader, attributes: ItemAttributes?, value: [UInt8], keys: GroupKeys, signer: SigningKey
  ) {
    self.init(header: header, attributes: attributes, value: value, keys: keys) { $0.signature(by: signer) }
  }

  /// Seals and signs a version like ``init(header:attributes:value:keys:signer:)``, with a signature that `sign` makes.
  /// Rethrows its error.
  package init<Failure: Error>(
    header: RecordHeader, attributes: ItemAttributes?, value: [UInt8], keys: GroupKeys,
    sign: (UnsignedRecord) throws(Failure) -> Signature
  ) throws(Failure) {
    try self.init(header: header, sign: sign) { part, headerHash in
      let plain =
        switch part {
        case .attributes: (attributes ?? ItemAttributes()).bytes
        case .value: value
        }
      return keys.seal(part, plain, headerHash: headerHash)
    }
  }

  /// Opens the attributes, and verifies that they are those of the item that the header names. Whoever may write the
  /// group can sign a version of one item with the attributes of another one: a reader that looks for the first would
  /// return the value of the second. Throws `invalidValue` for the attributes of another item.
  package func attributes(with keys: GroupKeys) throws(FormatError) -> ItemAttributes {
    let attributes = try ItemAttributes(bytes: try open(.attributes, sealedAttributes, keys))
    let item = keys.itemID(
      header.itemClass, isSynchronizable: attributes.isSynchronizable, attributes: attributes)
    guard item == header.item else {
      throw FormatError(.invalidValue, object: ObjectKind.record.name, field: "item")
    }
    return attributes
  }

  /// Opens the attributes and the value, and verifies them like ``attributes(with:)``.
  package func contents(with keys: GroupKeys) throws(FormatError) -> (attributes: ItemAttributes, value: [UInt8]) {
    (try attributes(with: keys), try value(with: keys))
  }

  /// Opens the value. Not for other targets: only the attributes tell whose value it is.
  func value(with keys: GroupKeys) throws(FormatError) -> [UInt8] { try open(.value, sealedValue, keys) }

  private func open(_ part: RecordPart, _ sealed: [UInt8], _ keys: GroupKeys) throws(FormatError) -> [UInt8] {
    do throws(CryptoError) {
      return try keys.open(part, sealed, headerHash: headerHash)
    } catch {
      throw FormatError(.doesNotOpen, object: ObjectKind.record.name, field: part == .value ? "value" : "attributes")
    }
  }
}
