internal import CofferFormat
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

  /// Counts the records of a store, without the refused ones that are settled: those that somebody has adopted or
  /// written over, and those that this machine's owner has discarded. The machine's keys open the segments only if any
  /// record is settled.
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
    // Only the contents of the segments tell which records are settled. Most vaults have none, and open none here.
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
