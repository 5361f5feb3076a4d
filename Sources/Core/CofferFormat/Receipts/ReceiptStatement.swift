package import CofferCrypto

/// A vault as a vendor's shop knows it: a hash of the vault's genesis and the shop's key. Two shops that compare what
/// they know cannot tell that it is one vault.
package struct BuyerID: Identifier {
  package let raw: Bytes16
  package init(_ raw: Bytes16) { self.raw = raw }

  package init(genesis: EntryHash, shop: VerifyingKey) {
    self.init(Hash.identifier(genesis.raw.bytes + shop.raw.bytes, domain: .buyer))
  }
}

/// What a vendor's shop states of a purchase, signed with the shop's key.
package struct ReceiptStatement: Hashable, Sendable {
  /// The contents of a statement, before it is signed.
  package struct Contents: Fielded, Hashable, Sendable {
    /// The vendor's name of the product, 1 to 256 bytes.
    package let product: String
    package let buyer: BuyerID
    /// By the clock of the shop. Of two statements about one product, the later one counts.
    package let issued: Timestamp
    /// The time from which the statement does not count; nil if it has no end. After ``issued``.
    package let expires: Timestamp?
    /// Whether the purchase is taken back.
    package let isRefund: Bool
    /// Free text of the shop, at most 1,024 bytes.
    package let note: String

    package init(
      product: String, buyer: BuyerID, issued: Timestamp, expires: Timestamp?, isRefund: Bool, note: String
    ) {
      self.product = product
      self.buyer = buyer
      self.issued = issued
      self.expires = expires
      self.isRefund = isRefund
      self.note = note
    }

    package init(_ known: Contents?, _ coder: inout FieldCoder) throws(FormatError) {
      product = try coder.string(known?.product, "product", cap: Limits.receiptProductByteCount)
      try coder.require(!product.isEmpty, "product")
      buyer = try coder.id(known?.buyer, "buyer")
      let issued = try coder.time(known?.issued, "time of issue")
      self.issued = issued
      expires = try coder.optional(known?.expires, "expiry") { (coder, known) throws(FormatError) in
        try coder.time(known, "expiry")
      }
      try coder.require(expires.map { $0 > issued } ?? true, "expiry")
      isRefund = try coder.bool(known?.isRefund, "refund")
      note = try coder.string(known?.note, "note", cap: Limits.receiptNoteByteCount)
    }
  }

  package let contents: Contents
  /// The object's bytes.
  package let bytes: [UInt8]
  private let digest: Bytes32
  private let signature: Signature

  /// Creates and signs a statement. Throws the error with which the contents could not be read.
  package init(_ contents: Contents, key: SigningKey) throws(FormatError) {
    var writer = ByteWriter()
    writer.begin(.receipt)
    contents.write(to: &writer)
    let digest = Hash.digest(writer.bytes, domain: .receipt)
    writer.fixed(key.sign(digest, domain: .receipt).bytes)
    try self.init(bytes: writer.bytes)
  }

  /// Reads a statement. The caller must verify the signature with ``isSigned(by:)``.
  package init(bytes: [UInt8]) throws(FormatError) {
    var reader = ByteReader(bytes, object: ObjectKind.receipt.name)
    try reader.begin(.receipt)
    contents = try Contents(from: &reader)
    digest = reader.digestOfConsumed(.receipt)
    signature = try reader.signature()
    try reader.finish()
    self.bytes = bytes
  }

  /// Returns true if the holder of `key` signed this statement.
  package func isSigned(by key: VerifyingKey) -> Bool { key.verifies(signature, of: digest, domain: .receipt) }

  // MARK: Text

  private static let prefix = "coffer-receipt-1:"

  /// The statement on one line: a prefix, and the bytes in base64.
  package var text: String { Self.prefix + String(decoding: Base64.encode(bytes), as: UTF8.self) }

  /// Reads the text of a statement. Spaces and line ends are ignored.
  package init(text: String) throws(FormatError) {
    let given = text.utf8.drop { Base64.isIgnored($0) }
    guard given.count <= Limits.receiptTextByteCount, given.starts(with: Self.prefix.utf8),
      let bytes = Base64.decode(Array(given.dropFirst(Self.prefix.utf8.count))[...])
    else { throw ByteReader([], object: ObjectKind.receipt.name).failure(.otherKind, "text") }
    try self.init(bytes: bytes)
  }
}
