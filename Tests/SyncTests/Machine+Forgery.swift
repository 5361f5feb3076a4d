import Coffer
import CofferCrypto
import CofferFormat
import CofferKeys
import CofferStore
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation
import Testing

/// What a program can do that has a machine's keys and bypasses the library's rules.
extension Machine {
  var local: LocalVault {
    get throws { try LocalVault.open(VaultFolder(vault)) }
  }

  /// Returns a version of an item that an app makes with its own keys, whether it may write the group or not.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - account: The account of the item, of service `service`.
  ///   - name: The access group, without the team.
  ///   - application: The bundle identifier of an app with a credential on this machine.
  ///   - bases: The versions that it follows.
  ///   - time: Seconds after now.
  ///   - keys: The keys of an author that the log does not contain, in place of the app's.
  ///   - sealed: What is sealed as the attributes of the item; nil for its own.
  /// - Returns: The version.
  /// - Throws: An error if the app has no credential here, or cannot open the group.
  func forge(
    _ value: [UInt8], account: String, in name: String, by application: String, bases: [RecordHash] = [],
    time: Int64 = 60, keys: PartyKeys? = nil, sealing sealed: ItemAttributes? = nil
  ) throws -> Record {
    let local = try local
    let membership = try local.membership()
    let own = try local.folder.credentialFile(of: local.application(named: application)).read(Credential.self)
      .open(passphrase: nil, in: membership.vault)
    let group = try #require(
      membership.groups[GroupID(vault: membership.vault, name: "\(membership.team).\(name)")])
    let reader = AuthorID(vault: membership.vault, keys: own.publicKeys)
    let groupKeys = try #require(try group.keys(for: reader, opening: own.agreement).last)
    let attributes = ItemAttributes([.service: .string("service"), .account: .string(account)])
    let author = keys ?? own
    let header = RecordHeader(
      vault: membership.vault, group: groupKeys.group, generation: groupKeys.generation,
      item: groupKeys.itemID(.genericPassword, isSynchronizable: false, attributes: attributes),
      itemClass: .genericPassword, content: .value, isDeviceLocal: false, bases: bases,
      time: Timestamp(microseconds: Timestamp.now.microseconds + time * 1_000_000),
      author: AuthorID(vault: membership.vault, keys: author.publicKeys), tokens: [])
    return Record(
      header: header, attributes: sealed ?? attributes, value: value, keys: groupKeys, signer: author.signing)
  }

  /// Signs and seals a segment as this machine.
  ///
  /// - Parameters:
  ///   - records: The bytes of its records.
  ///   - group: The group that it is for.
  ///   - previous: The segment that it follows; nil begins a stream.
  ///   - other: The first segment of another stream, whose place it takes.
  ///   - log: The position of the log that it names; nil for the end of this machine's.
  ///   - seen: The segments that it states to have seen.
  /// - Returns: The position, and the file.
  /// - Throws: An error if the machine's files cannot be read.
  func sealSegment(
    of records: [[UInt8]], in group: GroupID, after previous: StreamPosition? = nil,
    inPlaceOf other: StreamPosition? = nil, log: LogPosition? = nil, seen: [StreamPosition] = []
  ) throws -> SealedSegment {
    let local = try local
    let device = try local.deviceFile()
    let membership = try local.membership()
    let segment = Segment(
      vault: membership.vault, device: DeviceID(vault: membership.vault, keys: device.keys.publicKeys),
      stream: previous?.stream ?? other?.stream ?? StreamID.random(), after: previous, log: log ?? membership.head,
      seen: seen,
      group: group, records: records, key: device.keys.signing)
    let key = try #require(device.transportKeys.last)
    return SealedSegment(
      position: segment.position,
      file: Envelope(sealing: segment.bytes, as: .segment, key: key.key, generation: key.generation).bytes)
  }

  /// Signs an entry of the log as this machine's admin, whatever the log allows it.
  ///
  /// - Parameters:
  ///   - statement: The statement; the registration of an app again if nil.
  ///   - position: The entry that it follows.
  /// - Returns: The entry, and the file.
  /// - Throws: An error if the machine's files cannot be read.
  func sealEntry(_ statement: Statement? = nil, after position: LogPosition) throws -> SealedEntry {
    let local = try local
    let membership = try local.membership()
    let admin = try local.folder.adminFile.read { try AdminFile(secretBytes: $0).open(passphrase: nil) }
    let registration = try #require(membership.apps.values.first).statement
    let entry = LogEntry(
      vault: membership.vault, after: position, time: .now,
      signer: .admin(AuthorID(vault: membership.vault, keys: admin.publicKeys)), key: admin.signing,
      statement: statement ?? .app(registration))
    return try seal(entry, at: entry.sequence)
  }

  /// Seals an entry as the file of a number in the log, with this machine's transport key.
  func seal(_ entry: LogEntry, at sequence: UInt64) throws -> SealedEntry {
    let key = try #require(try local.deviceFile().transportKeys.last)
    return SealedEntry(
      entry: entry, path: "log/\(sequence / 64)/\(sequence)",
      file: Envelope(sealing: entry.bytes, as: .logEntry, key: key.key, generation: key.generation).bytes)
  }

  /// Returns the valid versions of an item in the store that are marked as its heads.
  func heads(of record: Record) throws -> Set<RecordHash> {
    try local.store.read { reader in
      Set(try reader.heads(of: record.header.item, in: record.header.group).map { try $0.record().hash })
    }
  }
}

/// A segment as it is on the remote.
struct SealedSegment {
  let position: StreamPosition
  let file: [UInt8]

  var path: String { "segments/\(position.stream)/\(position.number / 64)/\(position.number)" }
}

/// An entry of the log as it is on the remote.
struct SealedEntry {
  let entry: LogEntry
  let path: String
  let file: [UInt8]
}

extension TemporaryRemote {
  /// Puts an entry of the log on the vault's branch.
  func put(_ entry: SealedEntry) throws { try put([entry]) }

  /// Puts entries of the log on the vault's branch.
  func put(_ entries: [SealedEntry]) throws {
    try tamper { tree in
      for entry in entries {
        let file = tree.appending(path: entry.path)
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(entry.file).write(to: file)
      }
    }
  }

  /// Returns the paths of the log entries after a number.
  func logFiles(after sequence: UInt64) throws -> [String] {
    try files().filter { path in
      path.hasPrefix("log/")
        && path.split(separator: "/").last.flatMap { UInt64($0) }.map { $0 > sequence } ?? false
    }
  }

  /// Returns the content of a file on the vault's branch.
  func bytes(of path: String) throws -> [UInt8] {
    let file = directory.path("content")
    try Command.run(
      "sh", "-c", "git -C \"$1\" cat-file blob \"vault-1:$2\" > \"$3\"", "sh", self.path, path, file)
    return [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
  }

  /// Commits segments, and removes the files at `paths`.
  func put(_ segments: [SealedSegment], withholding paths: [String] = []) throws {
    try tamper { tree in
      for path in paths {
        let file = tree.appending(path: path)
        if FileManager.default.fileExists(atPath: file.path) { try FileManager.default.removeItem(at: file) }
      }
      for segment in segments {
        let file = tree.appending(path: segment.path)
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(segment.file).write(to: file)
      }
    }
  }
}
