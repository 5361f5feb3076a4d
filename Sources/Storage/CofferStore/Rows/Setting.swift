package import CofferFormat

/// The name of a value that belongs to this machine's copy of the vault and is never synced.
package struct Setting: RawRepresentable, Hashable, Sendable {
  package let rawValue: String
  package init(rawValue: String) { self.rawValue = rawValue }

  /// The URL of the remote, UTF-8.
  package static let remoteURL = Setting(rawValue: "remote-url")
  /// The commit of the remote branch at the last sync.
  package static let remoteTip = Setting(rawValue: "remote-tip")
  /// The path of the file with the certificate authorities to trust for the remote, UTF-8; none for those of the
  /// system.
  package static let remoteCertificateAuthorities = Setting(rawValue: "remote-ca-file")
  /// Set if the remote may be reached over HTTP without encryption although it is another machine.
  package static let remoteAllowsInsecureHTTP = Setting(rawValue: "remote-insecure-http")
  /// Set if the remote may also contain something else than the vault.
  package static let sharesRemote = Setting(rawValue: "shares-remote")
  /// The branch of the epoch that this machine follows, UTF-8; the first epoch's if there is none.
  package static let epochBranch = Setting(rawValue: "epoch-branch")
  /// The closing of the epoch before, sealed as on the remote.
  package static let epochOpening = Setting(rawValue: "epoch-opening")
  /// What this machine remembers of the branches of other epochs.
  package static let branches = Setting(rawValue: "branches")
  /// The branch from which a new machine was set up, UTF-8: an admin's machine has begun its epoch.
  package static let downloadedBranch = Setting(rawValue: "downloaded-branch")
  /// The size in bytes of the epoch at which the host has refused the branch of another one, as decimal digits.
  package static let refusedEpochSize = Setting(rawValue: "refused-epoch-size")
  /// The size in bytes of a large epoch at which its limit was last computed and not reached, as decimal digits.
  package static let measuredEpochSize = Setting(rawValue: "measured-epoch-size")
  /// The time of a sync: of the last one that has found or made a change at the remote, or of a later one.
  package static let lastSync = Setting(rawValue: "last-sync")
  /// What syncs have found wrong and no person has read.
  package static let unreadProblems = Setting(rawValue: "unread-problems")
  /// The stream to which this machine writes.
  package static let ownStream = Setting(rawValue: "own-stream")
  /// The segments that this machine has withdrawn and whose records it has sent in its own stream: their hashes.
  package static let withdrawnSegments = Setting(rawValue: "withdrawn-segments")
  /// Set while a change of membership is pushed although other machines have seen other entries of the log.
  package static let allowingLogFork = Setting(rawValue: "despite-claims")
  /// The last log entry against which the pending and refused records were validated.
  package static let validatedLog = Setting(rawValue: "validated-log")
  /// The hashes of the revocations that were applied to the items here, in the order of the log.
  package static let appliedRevocations = Setting(rawValue: "applied-revocations")
  /// The number of the last change of current versions that has added no row of `record`, as decimal digits. Such
  /// changes and the rows are numbered together.
  package static let lastUnlistedChange = Setting(rawValue: "last-unlisted-change")
  /// The segments that other machines have read on the remote, but that this machine has not found there.
  package static let missingSegments = Setting(rawValue: "missing-segments")
  /// The segments that other machines have read on the remote with other contents than this machine.
  package static let differentSegments = Setting(rawValue: "different-segments")
  /// The hash of the last unpublished log entry, if the revocations among these entries are pushed although further
  /// records have arrived.
  package static let finalDraft = Setting(rawValue: "final-draft")
  /// The log entries that this machine has offered to the remote, and those of them that it gave up.
  package static let withdrawnLog = Setting(rawValue: "withdrawn-log")
  /// The length of the log when a remote was set in a vault that had none, as decimal digits: these entries counted at
  /// once, and items may have been written with the keys that they deliver.
  package static let keptLogLength = Setting(rawValue: "kept-log-length")
  /// What other machines have stated of the log and this machine cannot confirm.
  package static let logClaims = Setting(rawValue: "log-claims")
  /// The lanes of the remote that are not fetched any more.
  package static let foldedLanes = Setting(rawValue: "folded-lanes")
  /// The files of segments that the log, as it was validated last, refuses for good, and that this machine has named.
  package static let refusedFiles = Setting(rawValue: "refused-files")
  /// The refused records that the owner has discarded: the hashes of the copies.
  package static let discardedRecords = Setting(rawValue: "discarded-records")
  /// The requests for this machine's invitations that the remote has.
  package static let invitationMail = Setting(rawValue: "invitation-mail")
  /// Set while a repair waits for the next sync to fetch what only the remote has.
  package static let awaitedRepair = Setting(rawValue: "awaited-repair")
  /// The value of ``awaitedRepair`` if only the outbox waits: for the segments that the remote has.
  package static let outboxUnknown: [UInt8] = [0]
  /// The value of ``awaitedRepair`` if objects are known to be missing.
  package static let restoring: [UInt8] = [1]
  /// The value of ``awaitedRepair`` in a store that was built anew: its own segments are on the remote.
  package static let rejoined: [UInt8] = [2]
}

/// A value that a setting can have.
package protocol SettingValue {
  /// Reads the value. Nil for bytes that are not one: such a setting counts as not set.
  init?(stored: [UInt8])
  var stored: [UInt8] { get }
}

extension SettingValue where Self: LosslessStringConvertible {
  package init?(stored: [UInt8]) {
    guard let text = String(validating: stored, as: UTF8.self) else { return nil }
    self.init(text)
  }

  package var stored: [UInt8] { Array(description.utf8) }
}

extension String: SettingValue {}
extension Int: SettingValue {}
extension UInt64: SettingValue {}

extension SettingValue where Self: Coded {
  package init?(stored: [UInt8]) {
    guard let values = [Self](stored: stored), values.count == 1 else { return nil }
    self = values[0]
  }

  package var stored: [UInt8] { [self].stored }
}

extension EntryHash: SettingValue {}
extension StreamID: SettingValue {}

/// The encodings of the elements, one after another.
extension Array: SettingValue where Element: Coded {
  package init?(stored: [UInt8]) {
    self = []
    var reader = ByteReader(stored, object: "setting")
    while reader.remaining > 0 {
      guard let element = try? Element(from: &reader) else { return nil }
      append(element)
    }
  }

  package var stored: [UInt8] {
    var writer = ByteWriter(reserving: count * 64)
    for element in self { element.write(to: &writer) }
    return writer.bytes
  }
}

/// Decimal microseconds.
extension Timestamp: SettingValue {
  package init?(stored: [UInt8]) {
    guard let microseconds = Int64(String(decoding: stored, as: UTF8.self)) else { return nil }
    self.init(microseconds: microseconds)
  }

  package var stored: [UInt8] { Array(String(microseconds).utf8) }
}

extension StoreAccess where Self: ~Copyable {
  /// Returns the value of a setting; nil if it is not set, or has another kind of value.
  package func value<Value: SettingValue>(
    _ setting: Setting, as type: Value.Type = Value.self
  ) throws(StoreError) -> Value? {
    try self.setting(setting).flatMap { Value(stored: $0) }
  }
}

extension StoreWriter {
  /// Sets a setting. An empty list removes it, as nil does.
  package func set<Value: SettingValue>(_ setting: Setting, to value: Value?) throws(StoreError) {
    let stored = value?.stored
    try setSetting(setting, stored?.isEmpty ?? true ? nil : stored)
  }
}
