internal import CofferCrypto
internal import CofferFormat
internal import CofferKeys

/// The objects of backups, and receipts.
extension ObjectReading {
  package static let receipt = ObjectReading(
    description: "receipt",
    rewrite: { bytes in
      let contents = try ReceiptStatement(bytes: bytes).contents
      var writer = ByteWriter()
      writer.begin(.receipt)
      writer.string(contents.product)
      writer.fixed(contents.buyer.raw)
      writer.i64(contents.issued.microseconds)
      writer.optional(contents.expires) { $0.i64($1.microseconds) }
      writer.bool(contents.isRefund)
      writer.string(contents.note)
      return writer.bytes + bytes.suffix(Signature.count)
    },
    sample: { try $0.receipt().bytes },
    isAuthentic: { bytes, fixture in try ReceiptStatement(bytes: bytes).isSigned(by: fixture.shop().publicKey) })

  package static let backupStatement = ObjectReading(
    description: "backup statement",
    rewrite: { bytes in
      let statement = try BackupStatement(bytes: bytes)
      let contents = statement.contents
      var writer = ByteWriter()
      writer.begin(.backupStatement)
      writer.fixed(contents.vault.raw)
      writer.i64(contents.time.microseconds)
      writer.string(contents.branch.name)
      writer.u64(contents.log.sequence)
      writer.fixed(contents.log.hash.raw)
      writer.fixed(contents.files)
      writer.optional(contents.key) { $0.fixed($1) }
      writer.u32(contents.localItemCount)
      writer.bool(contents.isComplete)
      writer.fixed(statement.device.raw)
      return writer.bytes + bytes.suffix(Signature.count)
    },
    sample: { try $0.backupStatement().bytes },
    isAuthentic: { bytes, fixture in try BackupStatement(bytes: bytes).isSigned(by: fixture.device.signing.publicKey) })

  package static let backupKey = ObjectReading(
    description: "backup key", rewrite: { try BackupKeyFile(secretBytes: $0).secretBytes() },
    sample: {
      try BackupKeyFile(
        genesis: $0.genesis.hash, key: $0.vaultKey, passphrase: SecretText(copying: "horse".utf8), cost: .floor
      ).secretBytes()
    })
}
