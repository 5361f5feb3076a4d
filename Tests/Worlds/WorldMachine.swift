import Coffer
import CofferAdministration
import CofferCrypto
import CofferExchange
import CofferFormat
import CofferGit
import CofferKeys
import CofferStore
import CofferSystem
import CofferTrust
import CofferVault
import Foundation
import Logging

/// A machine of a world: its real vault on a disk in memory, and what it must know.
final class WorldMachine {
  static let app = "com.example.photo.pro"
  static let url = "/world/vault.git"
  static let logger = Logger(label: "world") { _ in SwiftLogNoOpLogHandler() }

  let name: String
  /// The folder that is lost or set back when the machine is killed.
  let disk: URL
  let link: WorldLink
  /// Whether it may begin epochs and remove machines.
  let isAdmin: Bool
  /// The writes that it has heard of.
  var known: Set<Int>
  /// The writes that it has made.
  var own: Set<Int> = []
  /// The writes that stay on it, also those of a machine that it is a copy of.
  var kept: Set<Int> = []
  /// Whether another disk, that of a copy or its own before it was set back, may have versions that stay there between
  /// those that it keeps and those that it receives.
  private(set) var lacksKept = false
  var isRemoved = false
  /// Who it was when it was removed, with its keys, which nobody can take from it.
  private(set) var keptKeys: [Party] = []
  /// What the host had when it was removed.
  var lastView: WorldHost.References?
  /// Whether it was set back to an earlier state of its disk. It may then meet what it has sent since.
  var wasRestored = false
  /// Whether a copy of it goes on under the same name of the vault, or it is one.
  private(set) var isCopied = false
  private var saved: Saved?
  /// Whether it may show versions that others have replaced. Its last sync was interrupted, perhaps during the change
  /// to another epoch, and only the next one learns what the versions of the snapshot have replaced; or the host keeps
  /// back a segment with a version between two that it has.
  var mayShowReplaced = false
  /// Until which step it reaches no network.
  var awayUntil = 0
  /// What the host has shown it in a sync that was killed after a push. The next sync must name it.
  var unnamedHarm: String?
  /// By how many seconds its clock is wrong.
  var clockError = 0
  private(set) var local: LocalVault
  private var vault: Vault

  var folder: VaultFolder { VaultFolder(Self.vault(on: disk)) }

  static func vault(on disk: URL) -> URL { disk.appending(path: "vault", directoryHint: .isDirectory) }

  init(named name: String, on disk: URL, link: WorldLink, isAdmin: Bool = true, knowing known: Set<Int> = []) throws {
    (self.name, self.disk, self.link, self.isAdmin, self.known) = (name, disk, link, isAdmin, known)
    (vault, _, local) = try Vault.open(applicationNamed: Self.app, in: VaultFolder(Self.vault(on: disk)))
    link.ownWrites = { [unowned self] in isRemoved ? [] : own }
  }

  // MARK: Items

  private func item(_ number: Int) -> GenericPassword { GenericPassword(service: "world", account: "\(number)") }

  /// Sets the value of an item that stays on this machine or does not; nil leaves that as it is.
  func set(_ value: String, _ number: Int, staysHere: Bool? = nil) throws {
    var item = item(number)
    item.accessibility = staysHere.map { $0 ? .whenUnlockedThisDeviceOnly : .whenUnlocked }
    try vault.set(value, for: item)
  }

  /// Whether an item stays on this machine.
  func keeps(_ number: Int) throws -> Bool {
    guard !kept.isEmpty else { return false }
    let items = try vault.list(GenericPassword.self).items
    return items.first { $0.item.account == "\(number)" }?.item.accessibility?.isThisDeviceOnly ?? false
  }

  /// Deletes an item. Returns whether it existed.
  func delete(_ number: Int) throws -> Bool { try vault.delete(item(number)) }

  /// All current values: one, or those of a conflict.
  func values(of number: Int) throws -> Set<String?> {
    try values(of: number, in: vault.conflicts(GenericPassword.self))
  }

  /// All current values of each item.
  func allValues() throws -> [Set<String?>] {
    let conflicts = try vault.conflicts(GenericPassword.self)
    return try (0..<World.itemCount).map { try values(of: $0, in: conflicts) }
  }

  private func values(of number: Int, in conflicts: [ItemConflict<GenericPassword>]) throws -> Set<String?> {
    let conflict = conflicts.first { $0.versions.contains { $0.item?.account == "\(number)" } }
    guard let conflict else { return [try vault.string(for: item(number))] }
    return Set(try conflict.versions.map { try vault.value(of: $0).map { String(decoding: $0, as: UTF8.self) } })
  }

  /// The value that a read returns.
  func value(of number: Int) throws -> String? { try vault.string(for: item(number)) }

  // MARK: Syncs

  var id: DeviceID {
    get throws {
      guard let id = try local.machine(in: local.membership())?.id else {
        throw WorldFault("\(name) does not know itself")
      }
      return id
    }
  }

  /// Somebody of the log, with keys.
  struct Party {
    let author: AuthorID
    let keys: PartyKeys
  }

  /// Keeps the keys of its app, and of its admin if it has one.
  func keepKeys() throws {
    let membership = try local.membership()
    for file in try folder.credentialFiles() {
      let credential = try file.read(Credential.self)
      keptKeys.append(
        Party(author: credential.author, keys: try credential.open(passphrase: nil, in: membership.vault)))
    }
    guard folder.adminFile.exists else { return }
    let keys = try AdminKeys.read(
      from: folder, of: membership.genesis.hash, passphrase: .unavailable, machine: nil)
    keptKeys.append(Party(author: AuthorID(vault: membership.vault, keys: keys.publicKeys), keys: keys))
  }

  /// The machines among some removed ones of whose removal it has heard.
  func heardRemovals(of machines: [WorldMachine]) throws -> [WorldMachine] {
    guard !machines.isEmpty else { return [] }
    let devices = try local.membership().devices
    return try machines.filter { machine in
      guard machine !== self else { return false }
      return devices[try machine.id]?.revocation != nil
    }
  }

  /// Which of some removed machines could read what it writes, if it has heard of their removal; nil for none.
  func reader(among machines: [WorldMachine]) throws -> WorldMachine? {
    let groups = try local.membership().groups.values
    return try heardRemovals(of: machines).first { machine in
      try machine.keptKeys.contains { party in
        try groups.contains { group in
          let keys = try group.keys(for: party.author, opening: party.keys.agreement)
          return keys.last?.generation == group.generations.last?.number
        }
      }
    }
  }

  /// What those of some machines have written of whose removal it has not heard.
  func unheardWrites(of machines: [WorldMachine]) throws -> Set<Int> {
    let devices = try local.membership().devices
    return try machines.filter { devices[try $0.id]?.revocation == nil }.reduce(into: []) { $0.formUnion($1.own) }
  }

  /// Whether it knows of segments or record lists at the host that it has not received, or was stopped while it
  /// followed an epoch.
  var lacksObjects: Bool {
    get throws {
      try local.store.read { reader in
        let epoch = try reader.epochBranch().epoch
        let isStopped = try reader.objects(.chunk).contains { object in
          if case .chunk(_, let other) = object.key { object.published != nil && other > epoch } else { false }
        }
        return try isStopped || !MissingSegments.load(from: reader).positions.isEmpty
          || !local.branches(in: reader).chain.missingRecordLists.isEmpty
      }
    }
  }

  /// The reference of the branch that it follows.
  var branch: String { get throws { "refs/heads/" + (try local.store.read { try $0.epochBranch().name }) } }

  /// The end of the log, without drafts.
  var logEnd: LogPosition { get throws { try local.publishedMembership().head } }

  private var synchronizer: Synchronizer { Synchronizer(local, access: link.access, logger: Self.logger) }

  func sync() throws -> SyncReport {
    link.begin()
    return try learning { try synchronizer.run() }
  }

  /// Begins another epoch.
  func compact(keepingBranch: Bool) throws -> SyncReport {
    link.begin()
    return try learning { try synchronizer.compact(keepingBranch: keepingBranch) }
  }

  /// Somebody reads what a sync has reported.
  func read(_ report: SyncReport) throws { try local.markRead(report.problems) }

  private func learning(_ body: () throws -> SyncReport) throws -> SyncReport {
    let report = try body()
    link.finish(on: try branch)
    let tip = try local.store.read { try $0.setting(.remoteTip) }.flatMap { ObjectID(bytes: $0) }
    if let tip { known.formUnion(link.host.contents[tip] ?? []) }
    return report
  }

  /// Publishes changes of the membership by syncs in this process.
  var publication: MembershipPublication { Self.publication(over: link) }

  /// The same for any vault; without a link over the disk, as with the repository of a backup.
  static func publication(over link: WorldLink?) -> MembershipPublication {
    MembershipPublication { arguments in
      let path = arguments.firstIndex(of: "--vault").map { arguments[$0 + 1] } ?? ""
      link?.begin()
      let local = try LocalVault.open(VaultFolder(URL(fileURLWithPath: path, isDirectory: true)))
      let access = link?.access ?? RemoteAccess()
      return try JSONEncoder().encode(Synchronizer(local, access: access, logger: logger).run())
    }
  }

  /// Goes on with another, empty repository, as after `coffer remote set`.
  func moveToNewRepository(at host: WorldHost) throws {
    try link.move(to: host)
    try RemoteSetting(local, access: link.access).set("/world/new.git")
  }

  /// Forgets the remote, as `coffer remote remove` does. Returns false, without a change, if it has none, or if entries
  /// of the log wait for it: they would count at once, and be a fork if another machine is faster.
  func removeRemote() throws -> Bool {
    guard try local.remote() != nil, try local.store.read({ try $0.unpublishedLogEntryCount() }) == 0 else {
      return false
    }
    try local.removeRemote()
    return true
  }

  /// Sets the remote again that was removed.
  func setRemote() throws {
    guard try local.remote() == nil else { return }
    try RemoteSetting(local, access: link.access).set(Self.url)
  }

  /// Rebuilds the store from the host, as `coffer clone --rejoin` does.
  func rejoin() throws {
    try link.forgetCache()
    let location = VaultLocation(folder: Self.vault(on: disk))
    let staging = try StagingFolder.create(for: location, isRebuild: true)
    let rebuild = try StoreRebuild.begin(in: folder, staging: staging.folder)
    _ = try VaultDownload(access: link.access).run(from: Self.url, into: staging.folder)
    _ = try rebuild.finish(acceptsFork: false)
    extendLifetime(staging)
    // An app does not open a log that lacks what it has seen, such as what only this machine can push again.
    _ = try Synchronizer(LocalVault.open(folder), access: link.access, logger: Self.logger).run()
    try reopen()
  }

  // MARK: Kills

  /// What a kill has left.
  struct Remains {
    let point: FaultPoint
    fileprivate let disk: URL
  }

  /// Runs `body` with a kill at the step with this number, of some kinds or of all. Returns what the kill has left,
  /// with which ``restart(from:)`` goes on; nil if `body` took fewer steps. What the body does after the kill reaches
  /// nobody.
  func killing(
    at number: Int, of points: Set<FaultPoint>? = nil, _ body: () -> Void
  ) throws -> Remains? {
    let kill = Kill()
    FaultPoint.withObserver { [disk, link] point in
      guard kill.remains == nil, kill.failure == nil, points?.contains(point) ?? true else { return }
      kill.count += 1
      guard kill.count == number else { return }
      let copy = disk.deletingLastPathComponent().appending(path: "\(disk.lastPathComponent).killed")
      do {
        try FileManager.default.copyItem(at: disk, to: copy)
        kill.remains = Remains(point: point, disk: copy)
      } catch {
        kill.failure = error
      }
      link.isDead = true
    } _: {
      body()
    }
    if let failure = kill.failure { throw failure }
    return kill.remains
  }

  /// `@unchecked Sendable`: a world has one thread.
  private final class Kill: @unchecked Sendable {
    var count = 0
    var remains: Remains?
    var failure: (any Error)?
  }

  /// Starts again with what a kill has left.
  func restart(from remains: Remains) throws {
    let files = FileManager.default
    try files.moveItem(at: disk, to: disk.appendingPathExtension("former"))
    try files.moveItem(at: remains.disk, to: disk)
    Self.forgetMemory(on: disk)
    link.isDead = false
    try reopen()
    try files.removeItem(at: disk.appendingPathExtension("former"))
  }

  /// A copy of its disk, and what it knew then.
  private struct Saved {
    let disk: URL
    let known: Set<Int>
    let own: Set<Int>
    let kept: Set<Int>
    let unnamedHarm: String?
    let seen: WorldHost.References
    let shown: WorldHost.References
  }

  var isSaved: Bool { saved != nil }

  func forgetSaved() throws {
    if let saved { try FileManager.default.removeItem(at: saved.disk) }
    saved = nil
  }

  /// Copies the disk to a folder that does not exist.
  func save(to copy: URL) throws {
    try FileManager.default.copyItem(at: disk, to: copy)
    saved = Saved(
      disk: copy, known: known, own: own, kept: kept, unnamedHarm: unnamedHarm, seen: link.seen, shown: link.references)
  }

  /// Replaces the disk by the saved copy, if there is one. Returns what the host had when it was saved.
  func restore() throws -> WorldHost.References? {
    guard let saved else { return nil }
    let files = FileManager.default
    try files.removeItem(at: disk)
    try files.moveItem(at: saved.disk, to: disk)
    Self.forgetMemory(on: disk)
    (known, own, kept, unnamedHarm) = (saved.known, saved.own, saved.kept, saved.unnamedHarm)
    (link.seen, self.saved, wasRestored, lacksKept) = (saved.seen, nil, true, true)
    try link.forgetCache()
    try reopen()
    return saved.shown
  }

  /// Copies it to a disk that does not exist, as a virtual machine is copied: both go on.
  func copy(named name: String, to disk: URL) throws -> WorldMachine {
    try FileManager.default.copyItem(at: self.disk, to: disk)
    Self.forgetMemory(on: disk)
    let copy = try WorldMachine(
      named: name, on: disk, link: WorldLink(to: link.host), isAdmin: isAdmin, knowing: known)
    (copy.own, copy.kept, copy.wasRestored) = (own, kept, wasRestored)
    (copy.link.seen, copy.link.view) = (link.seen, link.view)
    (copy.mayShowReplaced, copy.unnamedHarm) = (mayShowReplaced, unnamedHarm)
    (isCopied, copy.isCopied) = (true, true)
    (lacksKept, copy.lacksKept) = (true, true)
    return copy
  }

  /// Removes from a copy of a disk what was in the memory of the machine.
  private static func forgetMemory(on disk: URL) {
    try? FileManager.default.removeItem(at: vault(on: disk).appending(path: "store.sqlite-shm"))
  }

  /// Opens the vault again, as a program that is started anew.
  func reopen() throws { (vault, _, local) = try Vault.open(applicationNamed: Self.app, in: folder) }

  /// Runs `body` by the machine's clock, at a time by one that is right.
  func byItsClock<Result>(at time: Timestamp, _ body: () throws -> Result) rethrows -> Result {
    try Timestamp.withClock(at: Timestamp(microseconds: time.microseconds + Int64(clockError) * 1_000_000), body)
  }
}
