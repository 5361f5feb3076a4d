package import CofferCrypto

/// What a machine states of a backup that it has made: of which vault and when, and exactly which files are in it.
/// Without it, whoever can write to the file could leave out what was written last.
package struct BackupStatement: Sendable {
  /// The contents of a statement, before it is signed.
  package struct Contents: Hashable, Sendable {
    package let vault: VaultID
    /// By the clock of the machine.
    package let time: Timestamp
    /// The branch that the vault is on.
    package let branch: EpochBranch
    /// The last entry of the membership log in the backup.
    package let log: LogPosition
    /// The hash of all files of the branch, see ``BackupFileList``.
    package let files: Bytes32
    /// The hash of the file with the vault key; nil without one.
    package let key: Bytes32?
    /// The number of items that are only on the machine, and never leave it.
    package let localItemCount: UInt32
    /// Whether the machine had everything that it should have had.
    package let isComplete: Bool

    package init(
      vault: VaultID, time: Timestamp, branch: EpochBranch, log: LogPosition, files: Bytes32, key: Bytes32?,
      localItemCount: UInt32, isComplete: Bool
    ) {
      self.vault = vault
      self.time = time
      self.branch = branch
      self.log = log
      self.files = files
      self.key = key
      self.localItemCount = localItemCount
      self.isComplete = isComplete
    }
  }

  package let contents: Contents
  /// The device that signed the statement.
  package let device: DeviceID
  /// The object's bytes.
  package let bytes: [UInt8]
  private let digest: Bytes32
  private let signature: Signature

  /// Creates and signs a statement.
  package init(_ contents: Contents, device: DeviceID, key: SigningKey) {
    self.contents = contents
    self.device = device
    var writer = ByteWriter()
    writer.begin(.backupStatement)
    writer.fixed(contents.vault.raw)
    writer.i64(contents.time.microseconds)
    writer.string(contents.branch.name)
    contents.log.write(to: &writer)
    writer.fixed(contents.files)
    writer.optional(contents.key) { $0.fixed($1) }
    writer.u32(contents.localItemCount)
    writer.bool(contents.isComplete)
    writer.fixed(device.raw)
    digest = Hash.digest(writer.bytes, domain: .backup)
    signature = key.sign(digest, domain: .backup)
    writer.fixed(signature.bytes)
    bytes = writer.bytes
  }

  /// Reads a statement. The caller must verify the signature with ``isSigned(by:)``.
  package init(bytes: [UInt8]) throws(FormatError) {
    var reader = ByteReader(bytes, object: ObjectKind.backupStatement.name)
    try reader.begin(.backupStatement)
    let vault = VaultID(try reader.bytes16("vault"))
    let time = Timestamp(microseconds: try reader.i64("time"))
    guard let branch = EpochBranch(name: try reader.string("branch", cap: 64)) else {
      throw reader.failure(.invalidValue, "branch")
    }
    contents = Contents(
      vault: vault, time: time, branch: branch, log: try LogPosition(from: &reader),
      files: try reader.bytes32("files"),
      key: try reader.optional("key") { (reader) throws(FormatError) in try reader.bytes32("key") },
      localItemCount: try reader.u32("items of the machine"), isComplete: try reader.bool("completeness"))
    device = DeviceID(try reader.bytes16("device"))
    digest = reader.digestOfConsumed(.backup)
    signature = try reader.signature()
    try reader.finish()
    self.bytes = bytes
  }

  /// Returns true if the holder of `key` signed this statement.
  package func isSigned(by key: VerifyingKey) -> Bool { key.verifies(signature, of: digest, domain: .backup) }
}

/// The files of a backup's branch, by their paths and the hashes of their contents. It is never written: a
/// ``BackupStatement`` has its hash.
package struct BackupFileList: Sendable {
  private var contents: [String: Bytes32] = [:]

  package init() {}

  /// The number of files.
  package var count: Int { contents.count }

  /// Adds a file, by its path in the branch.
  package mutating func add(_ path: String, _ bytes: [UInt8]) { contents[path] = Self.hash(of: bytes) }

  /// The hash of a file's content.
  package static func hash(of bytes: [UInt8]) -> Bytes32 { Hash.digest(bytes, domain: .backupFile) }

  /// The hash of the list, in ascending order of the bytes of the paths.
  package var hash: Bytes32 {
    var writer = ByteWriter(reserving: contents.count * 96)
    let sorted = contents.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    writer.list(sorted) { writer, file in
      writer.string(file.key)
      writer.fixed(file.value)
    }
    return Hash.digest(writer.bytes, domain: .backupFiles)
  }
}
