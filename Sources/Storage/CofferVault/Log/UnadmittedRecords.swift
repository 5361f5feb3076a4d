package import CofferFormat
package import CofferStore
package import CofferTrust

/// The pending and refused records of a vault, by author and access group.
package struct UnadmittedRecords: Hashable, Sendable {
  /// Whether a record waits for an entry of the log that its machine has seen.
  package enum State: String, Hashable, Comparable, Sendable, Codable {
    case pending, refused

    package static func < (left: State, right: State) -> Bool { left.rawValue < right.rawValue }
  }

  /// The records of one author in one access group.
  package struct Entry: Hashable, Sendable, Codable {
    package let state: State
    /// The identifier of the app that wrote them; nil for an owner, and if the log does not contain the author.
    package let application: String?
    /// The machine on which they were written or, if the log does not contain the author, that sent them; nil if no
    /// segment with them is known.
    package let machine: String?
    /// Whether the log contains the author.
    package let isAuthorKnown: Bool
    /// The access group; nil if the log does not contain it.
    package let accessGroup: String?
    /// Whether a revocation has ended the author's right to write the group: its other records there count.
    package let isAuthorCutOff: Bool
    package fileprivate(set) var records: Int

    private enum CodingKeys: String, CodingKey {
      case state, machine, isAuthorKnown, isAuthorCutOff
      case application = "app"
      case accessGroup = "group"
      case records = "recordCount"
    }
  }

  /// The records, refused ones last, in ascending order of their names.
  package let entries: [Entry]

  /// Creates the list of entries with their numbers of records.
  package init(_ numbers: [Entry: Int] = [:]) {
    entries = numbers.map { entry, number in
      var entry = entry
      entry.records = number
      return entry
    }.sorted { $0.order.lexicographicallyPrecedes($1.order) }
  }

  package func count(_ state: State) -> Int {
    entries.reduce(0) { $0 + ($1.state == state ? $1.records : 0) }
  }

  /// Counts the records of a store, without the refused ones that somebody has adopted or written over, or that
  /// this machine's owner has discarded. The machine's keys open the segments only if there are such records.
  package static func load(
    from access: borrowing some StoreAccess & ~Copyable, of local: LocalVault, in membership: Membership
  ) throws -> UnadmittedRecords {
    // An entry that is not published is a draft, which gives way to the one that another machine has seen.
    let followed = try access.publishedLogLength()
    var numbers: [Entry: Int] = [:]
    for count in try access.unadmittedCounts(after: followed) {
      numbers[Entry(count, in: membership), default: 0] += count.count
    }
    func leaveOut(_ count: UnadmittedCount) {
      let entry = Entry(count, in: membership)
      if entry.state == .refused { numbers[entry] = numbers[entry].flatMap { $0 > 1 ? $0 - 1 : nil } }
    }
    for copy in try DiscardedRecords.load(from: access).copies {
      if let count = try access.unadmittedCount(ofCopy: copy, after: followed) { leaveOut(count) }
    }
    // Only the contents of the segments tell which records were adopted or written over. Most vaults have none, and
    // open none here.
    if numbers.keys.contains(where: { $0.state == .refused }), try access.hasBaseThatDoesNotCount() {
      try access.forEachRefusedCopy(in: membership, openedBy: local.deviceFile()) { record in
        guard try access.isFollowed(record.hash),
          let count = try access.unadmittedCount(ofCopy: record.copyHash, after: followed)
        else { return }
        leaveOut(count)
      }
    }
    return UnadmittedRecords(numbers)
  }
}

extension UnadmittedRecords.Entry {
  /// Creates the entry that a number of records belongs to, without this number. Authors that the log does not contain
  /// are not told apart: anybody can invent any number of them.
  package init(_ count: UnadmittedCount, in membership: Membership) {
    let isCutOff = membership.authors[count.author]?.cut(in: count.group) != nil
    // No later entry gives a right back that a revocation has ended.
    state = count.isPending && !isCutOff ? .pending : .refused
    accessGroup = membership.groups[count.group]?.name.description
    records = 0
    isAuthorCutOff = isCutOff
    guard let author = membership.authors[count.author] else {
      isAuthorKnown = false
      application = nil
      machine = count.device.map { membership.name(of: $0) }
      return
    }
    isAuthorKnown = true
    machine = membership.name(of: author.device)
    if case .principal(let id, _, _) = author.role { application = id.description } else { application = nil }
  }

  fileprivate var order: [String] { [state.rawValue, application ?? "", machine ?? "", accessGroup ?? ""] }

  /// The records and their author, as a noun phrase.
  package var subject: String {
    let records = "\(records) record\(records == 1 ? "" : "s")"
    let place = machine.map { " on \($0)" } ?? ""
    if let application { return "\(records) by \(application)\(place)" }
    if isAuthorKnown { return "\(records) by the owner\(place)" }
    return "\(records) by an unknown author" + (machine.map { ", sent by \($0)" } ?? "")
  }

  /// Why the records do not count, as a clause.
  package var reason: String {
    guard isAuthorKnown else { return "the membership log does not contain the author" }
    guard let accessGroup else { return "the membership log does not contain the access group" }
    if isAuthorCutOff { return "the right to write \(accessGroup) was taken before other machines had them" }
    return application == nil
      ? "the membership log does not contain the key of \(accessGroup) that was used"
      : "it may not write \(accessGroup)"
  }

  /// How the records come to count, as an instruction.
  package var suggestion: String {
    let source = machine.map { " on \($0), then here" } ?? " on the machine that wrote them, then here"
    if state == .pending {
      return "the remote lacks entries of the membership log that their machine has seen; run `coffer sync`\(source)"
    }
    if isAuthorCutOff { return "see them with `coffer refused`, and adopt them with: coffer refused adopt --all" }
    guard isAuthorKnown, accessGroup != nil, let application else {
      return "if the app was registered on another machine, run `coffer sync` there, then here"
    }
    return "if \(application) should write there, register it with write access: coffer app add FILE.entitlements"
  }

  /// The entry as a line without its state.
  package var words: String { "\(subject): \(reason); \(suggestion)" }
}

/// The list of entries, as a program prints it.
extension UnadmittedRecords: Codable {
  package init(from decoder: any Decoder) throws {
    entries = try decoder.singleValueContainer().decode([Entry].self)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(entries)
  }
}

extension StoreAccess where Self: ~Copyable {
  /// Calls `body` once with each refused record that the store has: those in segments, and those whose contents are
  /// kept. Those that were discarded are left out. The membership decides anew whether a record counts.
  package func forEachRefusedRecord(
    in membership: Membership, openedBy device: DeviceFile, _ body: (Record) throws -> Void
  ) throws {
    var seen: Set<RecordHash> = []
    try forEachRefusedCopy(in: membership, openedBy: device) { record in
      switch membership.validity(of: record) {
      case .notEntitled, .unknownAuthor: if seen.insert(record.hash).inserted { try body(record) }
      case .valid, .invalid: break
      }
    }
  }

  /// Calls `body` once with each copy of a refused record that the store has and that was not discarded. Copies of one
  /// record differ in their signatures, which are not verified. The membership says whose records are refused in any
  /// case.
  package func forEachRefusedCopy(
    in membership: Membership, openedBy device: DeviceFile, _ body: (Record) throws -> Void
  ) throws {
    var seen = try DiscardedRecords.load(from: self).copies
    func visit(_ record: Record) throws { if seen.insert(record.copyHash).inserted { try body(record) } }
    let places = try refusedPlaces(
      after: publishedLogLength(), isCutOff: { membership.authors[$0]?.cut(in: $1) != nil })
    let refused = places.reduce(into: Set<RecordHash>()) { $0.formUnion($1.copies) }
    for place in places {
      guard let segment = try segment(place.stream, place.number)?.segment(openedBy: device) else { continue }
      for bytes in segment.records {
        guard let record = try? Record(bytes: bytes), place.copies.contains(record.copyHash) else { continue }
        try visit(record)
      }
    }
    var last: Int64? = .min
    while let row = last {
      let page = try unadmittedContents(after: row, byteLimit: Limits.segmentPayloadByteCount)
      for stored in page {
        guard let record = try? stored.record() else { continue }
        // Others wait for entries of the log.
        guard try refused.contains(record.copyHash) || !hasUnadmitted(record.copyHash) else { continue }
        try visit(record)
      }
      last = page.last?.row
    }
  }
}

/// The refused records that the owner has discarded and that the store still has, because a segment contains them or a
/// later entry of the log may permit them. They are neither listed nor counted.
package struct DiscardedRecords {
  /// The hashes of the copies, see ``CofferFormat/Record/copyHash``.
  package private(set) var copies: Set<RecordHash> = []

  /// The maximum number of records.
  package static let cap = 16_384

  /// Reads the records of a store. Others than ``save(to:)`` has written count as none: they are listed again.
  package static func load(from access: borrowing some StoreAccess & ~Copyable) throws(StoreError) -> DiscardedRecords {
    DiscardedRecords(copies: Set(try access.value(.discardedRecords) ?? []))
  }

  package mutating func insert(_ copy: RecordHash) { copies.insert(copy) }

  /// Writes the records to a store, without those that it does not have any more. Returns false, and writes nothing, if
  /// there are more than ``cap``.
  package func save(to writer: borrowing StoreWriter) throws(StoreError) -> Bool {
    var kept: [RecordHash] = []
    for copy in copies.sorted() where try writer.unadmittedCount(ofCopy: copy, after: 0) != nil { kept.append(copy) }
    guard kept.count <= Self.cap else { return false }
    try writer.set(.discardedRecords, to: kept)
    return true
  }
}
