package import CofferCrypto

/// The branch of the repository that holds an epoch.
package struct EpochBranch: Hashable, Sendable {
  /// The number of the epoch, from 1.
  package let epoch: UInt32
  /// A random number, so that nobody can occupy the name beforehand. Zero for the first epoch, whose name is fixed.
  package let tag: UInt64

  package static let first = EpochBranch(epoch: 1, tag: 0)

  private init(epoch: UInt32, tag: UInt64) {
    self.epoch = epoch
    self.tag = tag
  }

  /// Creates the branch of a later epoch. Returns nil for an epoch before the second.
  package init?(epoch: UInt32, tagged tag: UInt64) {
    guard epoch >= Checkpoint.firstEpoch else { return nil }
    self.init(epoch: epoch, tag: tag)
  }

  /// Reads the name of a branch, without `refs/heads/`. Returns nil for any other name.
  package init?(name: String) {
    if name == Self.first.name {
      self = .first
      return
    }
    let parts = name.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3, let epoch = UInt32(parts[1]), let tag = UInt64(parts[2], radix: 16),
      let branch = EpochBranch(epoch: epoch, tagged: tag), branch.name == name
    else { return nil }
    self = branch
  }

  /// The name of the branch, without `refs/heads/`.
  package var name: String {
    guard epoch >= Checkpoint.firstEpoch else { return "vault-1" }
    let digits = String(tag, radix: 16)
    return "vault-\(epoch)-\(String(repeating: "0", count: 16 - digits.count))\(digits)"
  }
}

/// The end of an epoch: which branch and which checkpoint continue it. Signed by the device of an admin.
///
/// It does not repeat which segments count. Its place in the history of the epoch's branch says that: the new branch
/// carries everything that was there before.
package struct Closing: Sendable {
  package let vault: VaultID
  /// The epoch that ends.
  package let epoch: UInt32
  package let next: EpochBranch
  /// The checkpoint that begins the next epoch.
  package let checkpoint: CheckpointHash
  /// The device that signed the closing.
  package let device: DeviceID
  /// The object's bytes.
  package let bytes: [UInt8]
  private let digest: Bytes32
  private let signature: Signature

  /// Creates and signs the end of the epoch before that of `next`.
  package init(
    vault: VaultID, continuedOn next: EpochBranch, checkpoint: CheckpointHash, device: DeviceID, key: SigningKey
  ) {
    self.vault = vault
    epoch = next.epoch - 1
    self.next = next
    self.checkpoint = checkpoint
    self.device = device
    var writer = ByteWriter()
    writer.begin(.closing)
    writer.fixed(vault.raw)
    writer.u32(epoch)
    writer.u64(next.tag)
    writer.fixed(checkpoint.raw)
    writer.fixed(device.raw)
    digest = Hash.digest(writer.bytes, domain: .closing)
    signature = key.sign(digest, domain: .closing)
    writer.fixed(signature.bytes)
    bytes = writer.bytes
  }

  /// Reads a closing. The caller must verify the signature with ``isSigned(by:)``.
  package init(bytes: [UInt8]) throws(FormatError) {
    var reader = ByteReader(bytes, object: ObjectKind.closing.name)
    try reader.begin(.closing)
    vault = VaultID(try reader.bytes16("vault"))
    epoch = try reader.u32("epoch")
    let tag = try reader.u64("branch")
    guard epoch >= 1, epoch < .max, let next = EpochBranch(epoch: epoch + 1, tagged: tag) else {
      throw reader.failure(.invalidValue, "epoch")
    }
    self.next = next
    checkpoint = CheckpointHash(try reader.bytes32("checkpoint"))
    device = DeviceID(try reader.bytes16("device"))
    digest = reader.digestOfConsumed(.closing)
    signature = try reader.signature()
    try reader.finish()
    self.bytes = bytes
  }

  /// Returns true if the holder of `key` signed this closing.
  package func isSigned(by key: VerifyingKey) -> Bool { key.verifies(signature, of: digest, domain: .closing) }
}
