internal import Coffer
package import CofferCrypto
package import CofferFormat
internal import CofferKeys
package import CofferPlatform
internal import CofferStore
internal import CofferSystem
package import CofferTrust
package import CofferVault

/// Checks that a backup can be restored: verifies it as a clone verifies a remote, and reads all contents into memory.
/// It changes nothing.
package struct BackupCheck {
  /// What a backup has.
  package struct Report: Sendable {
    /// An access group.
    package struct Group: Sendable, Encodable {
      package let name: String
      package let itemCount: Int
    }

    /// When it was made, by the clock of the machine that has made it.
    package let time: Date
    /// The name of that machine.
    package let machine: String
    package let logLength: UInt64
    package let headPhrase: String
    /// The groups with items, in ascending order of their names.
    package let groups: [Group]
    /// When the newest version of an item was written, by the clock of its machine; nil without items.
    package let newestChange: Date?
    /// The number of items that were only on the machine, and are not in it.
    package let localItemCount: Int
    /// Whether the machine had everything that it should have had.
    package let isComplete: Bool
    /// What the vault lacked when it was made, a line each.
    package let problems: [String]
    /// How it compares with the vault of this machine; nil for another vault, and if that cannot be read.
    package let comparison: Comparison?
    /// Why it was not compared with the vault of this machine; nil if nothing prevented it.
    package let comparisonFailure: String?

    /// What this machine knows that the backup does not.
    package struct Comparison: Sendable {
      /// The number of current versions of items that the backup does not have.
      package let newerVersionCount: Int
      /// The number of entries of the membership log that the backup does not have.
      package let newerLogCount: Int
      /// Whether the shorter one of the two logs is the beginning of the other one.
      package let isSameBranch: Bool
      /// Whether the machine that has made it was removed since.
      package let isMachineRevoked: Bool
    }

    /// Whether it can be restored, and nothing that is known here speaks against it.
    package var isSound: Bool {
      isComplete && comparison?.isSameBranch != false && comparison?.isMachineRevoked != true
    }

    package var itemCount: Int { groups.reduce(0) { $0 + $1.itemCount } }
  }

  private let backup: UnpackedBackup
  private let file: String
  private let staging: VaultFolder
  private let statement: BackupStatement

  /// Takes a backup that was unpacked into a staging folder. `file` is its path, for errors.
  package static func begin(
    _ backup: UnpackedBackup, from file: String, in staging: VaultFolder
  ) throws(VaultError) -> BackupCheck {
    let statement = try translatingErrors { try BackupStatement(bytes: [UInt8](backup.statement)) }
    return BackupCheck(backup: backup, file: file, staging: staging, statement: statement)
  }

  /// Returns the vault key that a backup carries. Throws `authenticationFailed` for a wrong passphrase.
  package static func vaultKey(
    in backup: UnpackedBackup, passphrase: SecretText
  ) throws(VaultError) -> VaultKey {
    try translatingErrors {
      let genesis = try Genesis(bytes: [UInt8](backup.genesis))
      let file = try BackupKeyFile(secretBytes: [UInt8](backup.key ?? Data()))
      guard file.genesis == genesis.hash, file.needsPassphrase else {
        throw VaultError(
          .integrity, "the vault key in the backup is not one of its vault", recoverySuggestion: "give --vault-key-file"
        )
      }
      do throws(CryptoError) {
        return try file.open(passphrase: passphrase)
      } catch {
        guard error == .authenticationFailed else { throw error }
        throw VaultError(
          .authenticationFailed, "the passphrase does not open the backup",
          recoverySuggestion: "give the one that was chosen for the backup, or the vault key with --vault-key-file")
      }
    }
  }

  /// Seals a vault key for a backup.
  package static func seal(_ key: VaultKey, of local: LocalVault, passphrase: SecretText) throws(VaultError) -> [UInt8]
  {
    try translatingErrors {
      try BackupKeyFile(genesis: local.membership().genesis.hash, key: key, passphrase: passphrase).secretBytes()
    }
  }

  /// Returns this machine's keys if the backup is of the vault in a folder; nil for another vault, and without one.
  package func deviceFile(in folder: VaultFolder) -> DeviceFile? {
    guard let device = try? folder.deviceFile.read(DeviceFile.self),
      let genesis = try? Genesis(bytes: [UInt8](backup.genesis)), genesis.hash == device.genesis
    else { return nil }
    return device
  }

  /// Verifies the backup with the vault key. `own` is the vault of this machine, with which it is compared if it is the
  /// same. Throws `authenticationFailed` for a key that does not open it, and `integrity` for a backup that cannot be
  /// restored.
  package func run(
    vaultKey: VaultKey, headPhrase: Phrase? = nil, comparedWith own: VaultFolder? = nil
  ) throws(VaultError) -> Report {
    let download = try explaining { () throws(VaultError) in
      try VerifiedDownload.read(from: staging.incoming, vaultKey: vaultKey)
    }
    try download.check(headPhrase)
    return try report(download, comparedWith: own)
  }

  /// Verifies the backup with the keys of a machine of the vault, whose folder it is compared with. Throws as
  /// ``run(vaultKey:headPhrase:comparedWith:)``.
  package func run(device: DeviceFile, comparedWith own: VaultFolder) throws(VaultError) -> Report {
    let download = try explaining { () throws(VaultError) in
      try VerifiedDownload.read(from: staging.incoming, device: device)
    }
    return try report(download, comparedWith: own)
  }

  private func explaining<Result>(_ body: () throws(VaultError) -> Result) throws(VaultError) -> Result {
    do throws(VaultError) {
      return try body()
    } catch {
      guard error.code == .integrity else { throw error }
      throw damage(error.message)
    }
  }

  private func damage(_ what: String) -> VaultError {
    VaultError(
      .integrity, "the backup \(file.sanitizedForTerminal(limit: 500)) cannot be restored: \(what)",
      recoverySuggestion: "use another backup; nothing was changed")
  }

  // MARK: Reading

  private func report(
    _ download: VerifiedDownload, comparedWith own: VaultFolder?
  ) throws(VaultError) -> Report {
    let machine = try checkStatement(download)
    let device = download.reader
    let (store, problems) = try explaining { () throws(VaultError) in
      try RepositoryReader.read(backup.repository, with: device)
    }
    let local = try LocalVault.open(.inMemory, store: store, device: device)
    var (comparison, failure): (Report.Comparison?, String?) = (nil, nil)
    do throws(VaultError) {
      comparison = try own.flatMap { (folder) throws(VaultError) in try compare(download, store, with: folder) }
    } catch {
      // Whatever this machine's own vault is like says nothing about the backup.
      failure = error.message
    }
    let membership = try local.membership()
    let (found, newest) = try translatingErrors {
      try local.store.read { reader in (try groups(of: membership, reader), try newestChange(reader)) }
    }
    let contents = statement.contents
    return Report(
      time: contents.time.date, machine: machine.name, logLength: download.membership.head.sequence,
      headPhrase: download.membership.headPhrase, groups: found, newestChange: newest?.date,
      localItemCount: Int(contents.localItemCount), isComplete: contents.isComplete,
      problems: problems.map { $0.replacing(backup.repository, with: "the vault") }, comparison: comparison,
      comparisonFailure: failure)
  }

  /// Checks that a machine has signed the statement which may do that.
  private func checkStatement(_ download: VerifiedDownload) throws(VaultError) -> Device {
    let contents = statement.contents
    guard let machine = download.membership.devices[statement.device], statement.isSigned(by: machine.keys.verifying)
    else { throw damage("no machine of the vault has signed it") }
    switch download.membership.refusal(of: .backup, by: machine.id) {
    case nil: break
    case .readOnly: throw damage("\(download.membership.name(of: machine.id)) has signed it, which may only read")
    case .revoked, .unknown, .notOfAdmin:
      throw damage("\(download.membership.name(of: machine.id)) has signed it, which was revoked")
    }
    guard contents.vault == download.genesis.vault, contents.log == download.membership.head else {
      throw damage("it has another membership log than its machine states")
    }
    return machine
  }

  private func groups(
    of membership: Membership, _ reader: borrowing StoreReader
  ) throws -> [Report.Group] {
    try membership.groups.values.compactMap { group in
      let count = try reader.itemCount(in: group.id)
      return count > 0 ? Report.Group(name: group.name.description, itemCount: count) : nil
    }.sorted { $0.name < $1.name }
  }

  private func newestChange(_ reader: borrowing StoreReader) throws -> Timestamp? {
    var newest: Timestamp?
    for hash in try reader.sharedHeads() {
      guard let stored = try reader.record(hash) else { continue }
      let time = try RecordSkeleton(bytes: stored.signedBytes).header.time
      newest = max(newest ?? time, time)
    }
    return newest
  }

  private func compare(
    _ download: VerifiedDownload, _ store: Store, with folder: VaultFolder
  ) throws(VaultError) -> Report.Comparison? {
    guard folder.exists, deviceFile(in: folder) != nil else { return nil }
    let own = try LocalVault.open(folder)
    return try translatingErrors {
      try own.store.read { reader in
        let versionCount = try store.write { copy in
          try reader.sharedHeads().count { hash in
            guard let stored = try reader.record(hash) else { return false }
            return try !copy.isHeld(RecordSkeleton(bytes: stored.signedBytes))
          }
        }
        let chain = try own.branches(in: reader).chain
        let (here, there) = (chain.head, statement.contents.log)
        let common = min(here.sequence, there.sequence)
        let entry = try reader.logEntry(common).map { try LogEntry(bytes: $0.entry).hash }
        return Report.Comparison(
          newerVersionCount: try versionCount + reader.outboxCount(),
          newerLogCount: Int(clamping: here.sequence > there.sequence ? here.sequence - there.sequence : 0),
          isSameBranch: common == 0 || entry == download.log.first { $0.entry.sequence == common }?.entry.hash,
          isMachineRevoked: chain.refusal(of: .backup, by: statement.device) == .revoked)
      }
    }
  }
}
