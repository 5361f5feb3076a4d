internal import Coffer
internal import CofferCrypto
internal import CofferFormat
internal import CofferPlatform
internal import CofferSystem
internal import CofferTrust
internal import CofferVault

/// What the branches of a download have of one vault. Nothing is verified yet: an attacker with push access could have
/// written any of it.
struct DownloadedVault {
  let url: [UInt8]
  let remoteOptions: RemoteOptions
  let genesis: Genesis
  /// The slots that their roots have signed, those of later roots first.
  let rootSlots: [RootSlot]
  private let branches: [String]
  private let openings: [[UInt8]]
  private let incomingLog: IncomingLog

  /// Takes the slots of roots that name the genesis, the names of the branches, and the files with which branches
  /// begin.
  init(
    url: [UInt8], remoteOptions: RemoteOptions, genesis: Genesis, rootSlots: [[UInt8]], branches: [String],
    openings: [[UInt8]], log: IncomingLog
  ) {
    self.url = url
    self.remoteOptions = remoteOptions
    self.genesis = genesis
    self.branches = branches
    self.openings = openings
    incomingLog = log
    self.rootSlots = rootSlots.compactMap { try? RootSlot(bytes: $0, of: genesis) }
      .sorted { $0.generation > $1.generation }
  }

  /// The size of the signed entries of the log that are kept in memory. Only root and admins can sign one.
  private static let logByteCount = 256 << 20

  /// Verifies the log that all branches show together, and chooses the branch on which the vault is. Takes root's or
  /// the machine's key that opens boxes, the transport keys that it has, and root's keys or the machine's device file.
  /// `head` is the entry that the answer to an invitation names. Throws `authenticationFailed` for a vault key that was
  /// replaced, and `notEntitled` for a machine that was removed.
  func verify(
    openedBy agreement: AgreementKey, and heldKeys: [TransportKey], root: PartyKeys? = nil, device: DeviceFile? = nil,
    head: EntryHash? = nil
  ) throws -> VerifiedDownload {
    let sealed = try SealedLog(
      of: incomingLog.files.count, openedBy: agreement, and: heldKeys, following: Membership(genesis: genesis),
      root: root?.publicKeys.verifying, head: head, byteLimit: Self.logByteCount, read: incomingLog.content)
    guard sealed.byteCount <= Self.logByteCount else {
      throw VaultError.damagedRepository(
        "root and admins have signed more than \(Self.logByteCount >> 20) MiB of its membership log")
    }
    func choose(among end: Int?) -> LogUnion {
      sealed.union(following: Membership(genesis: genesis), among: end) { membership in
        // Those of this machine may be of another branch of the log, which its owner gives up.
        let commitments = Set(membership.transportCommitments)
        return (root.map { $0.publicKeys == membership.root } ?? true)
          && heldKeys.allSatisfy { commitments.contains($0.commitment) }
      }
    }
    let union = choose(among: nil)
    let membership = union.chain
    if incomingLog.presentCount < incomingLog.files.count {
      try Self.check(union, handsOverAs: choose(among: incomingLog.presentCount))
    }
    try check(union, sealed, root, device)
    // Whoever forges root's signatures one day does not have the first key of the slot.
    guard root == nil || heldKeys.allSatisfy({ membership.transportCommitments.first == $0.commitment }) else {
      throw VaultError.damagedRepository("its membership log does not begin with the transport key of its root slot")
    }
    guard let keys = sealed.transportKeys(of: membership), !keys.isEmpty else {
      throw VaultError.damagedRepository("the transport keys are not those that the membership log commits to")
    }
    guard let first = rootSlots.first(where: { $0.generation == 1 }) else {
      throw VaultError.damagedRepository("it lacks the file root, or has another one")
    }
    return VerifiedDownload(
      url: url, remoteOptions: remoteOptions, genesis: genesis, rootSlot: first,
      laterRootSlots: rootSlots.filter { slot in membership.successions.contains { slot.isNamed(by: $0.statement) } },
      root: root, log: try log(of: union, sealed), branch: try openedBranch(by: membership, keys),
      membership: membership, transportKeys: keys)
  }

  /// Throws if the branches hand the vault to another vault key than a log that only their history has: machines of the
  /// vault have put theirs back.
  private static func check(_ union: LogUnion, handsOverAs present: LogUnion) throws(VaultError) {
    let own = Set(union.entries.map(\.hash))
    // The entries that belong to it need not open with the keys of this machine.
    let other = present.entries.first {
      $0.kind == Statement.Kind.succession.rawValue && !own.contains($0.hash)
    }
    guard let other else { return }
    throw VaultError.damagedRepository(
      "entry \(other.sequence) of its membership log hands the vault to another vault key than the one with which this machine reads it"
    )
  }

  private func check(_ union: LogUnion, _ sealed: SealedLog, _ root: PartyKeys?, _ device: DeviceFile?) throws {
    let membership = union.chain
    // The new root's keys are needed for what follows.
    if let root, let succession = membership.succession(from: root.publicKeys) {
      throw VaultError.replacedVaultKey(succession)
    }
    if let device {
      // A machine that was removed gets no later keys.
      let machine = DeviceID(vault: genesis.vault, keys: device.keys.publicKeys)
      if let error = membership.revocationError(of: machine) { throw error }
    }
    if let fork = union.fork { throw fork.error }
    guard membership.head.sequence > 0 else {
      throw VaultError.damagedRepository(
        "its membership log is missing, or does not open with the keys of this machine")
    }
    if let missing = sealed.gap(after: union) {
      throw VaultError.damagedRepository("log entry \(missing) is missing or was altered, and others follow it")
    }
    if let root, membership.root != root.publicKeys {
      throw VaultError.damagedRepository(
        "its membership log ends at entry \(membership.head.sequence), before the vault key that you gave became the vault's"
      )
    }
  }

  private func log(
    of union: LogUnion, _ sealed: SealedLog
  ) throws -> [(entry: LogEntry, envelope: Envelope)] {
    let log = sealed.envelopes(of: union.entries)
    guard log.count == union.entries.count else {
      let missing = union.entries[log.count].sequence
      throw VaultError.damagedRepository("log entry \(missing) is not sealed as its signer has sealed it")
    }
    return log
  }

  /// Returns the name of the latest branch that a machine has begun which may do that by the log of all branches; nil
  /// for the first epoch's. An attacker with push access could have copied the rest of a branch.
  private func openedBranch(by membership: Membership, _ keys: [TransportKey]) throws -> [UInt8]? {
    let later = branches.compactMap { EpochBranch(name: $0) }.filter { $0 != .first }
      .sorted { ($0.epoch, $0.tag) > ($1.epoch, $1.tag) }
    let closings = openings.compactMap { file -> Closing? in
      guard let envelope = try? Envelope(bytes: file), envelope.content == .closing,
        let key = keys.first(where: { $0.generation == envelope.generation })
      else { return nil }
      return try? Closing(bytes: envelope.open(with: key.key))
    }
    // Each names its branch, so it does not matter on which of them it is.
    let begun = Dictionary(grouping: closings, by: \.next)
    let opened = later.first { begun[$0]?.contains { (try? membership.verify($0)) != nil } ?? false }
    if let opened { return Array(opened.name.utf8) }
    guard branches.contains(EpochBranch.first.name) else {
      let isOfFormerAdmin = later.contains { branch in
        begun[branch, default: []].contains {
          membership.counts(.followedCheckpoint, by: $0.device, isSigned: $0.isSigned(by:))
        }
      }
      guard !isOfFormerAdmin else {
        throw VaultError(
          .integrity,
          "the machine that has begun this epoch of the vault was removed, and no admin's machine has synced since",
          recoverySuggestion:
            "run `coffer sync` on an admin's machine; if none is left, let a machine of the vault be one, with the vault key: coffer admin add NAME"
        )
      }
      throw VaultError.damagedRepository(
        "no admin's machine has begun the epoch of its branch \(later.first?.name ?? "")")
    }
    return nil
  }
}

/// The entries of a download's log, of which only a part is on the disk at once: an attacker with push access could
/// have added any number of files, and all that an entry proves is that it opens.
final class IncomingLog {
  private let incoming: IncomingFiles
  private let folder: URL
  private let roundByteCount: Int
  /// Each content once: those that a branch has before those that one has had.
  let files: [IncomingFiles.File]
  /// The number of those that a branch has.
  let presentCount: Int

  /// Takes the folder that ``VaultFolder/incoming`` names, and its files.
  init(
    _ folder: URL, _ files: some Sequence<IncomingFiles.File>, roundByteCount: Int = IncomingFiles.roundByteCount
  ) {
    self.folder = folder
    self.roundByteCount = roundByteCount
    incoming = IncomingFiles(folder)
    var present: [IncomingFiles.File] = []
    var former: [IncomingFiles.File] = []
    for file in files where file.path.hasPrefix("log/") {
      if file.isFormer { former.append(file) } else { present.append(file) }
    }
    var names: Set<String> = []
    present = present.filter { names.insert($0.name).inserted }
    presentCount = present.count
    self.files = present + former.filter { names.insert($0.name).inserted }
  }

  /// Reads the first of the files with these numbers; nil if it cannot be read. If it is not on the disk, `coffer-sync`
  /// writes it and those after it there, in place of those that are.
  func content(_ numbers: ArraySlice<Int>) throws(VaultError) -> [UInt8]? {
    guard let number = numbers.first else { return nil }
    if let bytes = incoming.content(named: files[number].name) { return bytes }
    var names: [String] = []
    var byteCount = 0
    for number in numbers {
      byteCount += files[number].byteCount
      guard names.isEmpty || byteCount <= roundByteCount else { break }
      names.append(files[number].name)
    }
    for file in files { incoming.remove(file.name) }
    do {
      try incoming.want(names)
      _ = try SyncProcess.output(
        of: ["download-contents", "--into", folder.deletingLastPathComponent().path(percentEncoded: false)])
    } catch let error as SyncFailure {
      throw VaultError(
        .io, "the downloaded entries of the log could not be read: \(error.messages)",
        recoverySuggestion: "run the command again")
    } catch {
      throw VaultError(translating: error)
    }
    return incoming.content(named: files[number].name)
  }
}
