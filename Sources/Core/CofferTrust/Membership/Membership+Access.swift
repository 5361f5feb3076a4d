package import CofferCrypto
package import CofferFormat

extension Membership {
  /// Whether an author can only read, whatever its app may do: it is on a read-only machine.
  package func isReadOnly(_ author: Author) -> Bool { !expiries.isEmpty && expiries[author.device] != nil }

  /// Returns an author's access to a group; nil if it has none.
  package func access(of author: Author, to group: GroupID) -> Entitlements.Access? {
    guard let group = groups[group], author.cut == nil else { return nil }
    switch author.role {
    case .admin: return .readWrite
    case .principal(let application, _, _):
      var access = apps[application]?.entitlements.access(to: group.name)
      if access != nil, isReadOnly(author) { access = .readOnly }
      guard let cut = author.groupCuts[group.id] else { return access }
      return cut.keepsReading && access != nil ? .readOnly : nil
    }
  }

  /// Returns the entry that ended an author's right to a group, and what it may still do there; nil if it may do what
  /// is needed, or has lost nothing. A later registration of its app does not give the right back.
  package func lostRight(
    of author: Author, to group: GroupID, needing needed: Entitlements.Access
  ) -> (entry: UInt64, remaining: Entitlements.Access?)? {
    guard let cut = author.cut(in: group) else { return nil }
    let remaining = access(of: author, to: group)
    guard remaining.map({ $0 < needed }) ?? true else { return nil }
    return (cut.revocation.sequence, remaining)
  }

  /// Whether the log lets the author that a record names write this record. Its signature is not checked.
  package func permits(_ record: Record) -> Bool {
    let header = record.header
    guard let author = authors[header.author], let group = groups[header.group],
      group.generations.indices.contains(Int(header.generation) - 1)
    else { return false }
    return permits(author, toWrite: record.hash, in: group)
  }

  /// Whether the log lets an author write a record of a group. Its signature and generation are not considered.
  package func permits(_ author: AuthorID, toWrite record: RecordHash, in group: GroupID) -> Bool {
    guard let author = authors[author], let group = groups[group] else { return false }
    return permits(author, toWrite: record, in: group)
  }

  private func permits(_ author: Author, toWrite record: RecordHash, in group: RegisteredGroup) -> Bool {
    if let cut = author.cut(in: group.id) { return isListed(record, by: cut, in: group) }
    return access(of: author, to: group.id) == .readWrite
  }

  /// Whether a revocation ended an author's right to write a group, and does not list a record.
  package func refuses(
    _ record: RecordHash, by author: AuthorID, in group: GroupID, since revocation: LogPosition
  ) -> Bool {
    guard let cut = authors[author]?.cut(in: group), cut.revocation == revocation else { return false }
    return !lists(record, cut)
  }

  private func lists(_ record: RecordHash, _ cut: AuthorCut) -> Bool {
    cut.recordLists.contains { recordLists[$0]?.contains(record) ?? false }
  }

  /// Whether a record stays valid although its author's right to write the group has ended.
  private func isListed(_ record: RecordHash, by cut: AuthorCut, in group: RegisteredGroup) -> Bool {
    cut.couldWrite(group.name) && lists(record, cut)
  }

  /// Whether the log may let an author write records of a group under a generation of its key. A record that it does
  /// not permit is pending or refused, if its author signed it.
  package func mayPermit(_ author: AuthorID, toWrite group: GroupID, generation: UInt32) -> Bool {
    guard let author = authors[author], let registered = groups[group],
      registered.generations.indices.contains(Int(generation) - 1)
    else { return false }
    // After a revocation, it depends on the record.
    return author.cut(in: group) != nil || access(of: author, to: group) == .readWrite
  }

  /// Evaluates a record by its header and signature. A caller that has verified records before passes a cheaper check
  /// as `isSigned`; nil verifies the signature.
  package func validity(
    of record: Record, isSigned: ((Record, VerifyingKey) -> Bool)? = nil
  ) -> RecordValidity {
    let header = record.header
    guard header.vault == vault else { return .invalid("it belongs to another vault") }
    guard let author = authors[header.author] else { return .unknownAuthor }
    // The signature before everything that a later entry may change: a forged copy must not wait for one.
    let isAuthentic = isSigned?(record, author.keys.verifying) ?? record.isSigned(by: author.keys.verifying)
    guard isAuthentic else { return .invalid("its author did not sign it") }
    guard let group = groups[header.group], group.generations.indices.contains(Int(header.generation) - 1) else {
      return .unknownAuthor
    }
    return permits(author, toWrite: record.hash, in: group) ? .valid : .notEntitled
  }

  /// Returns all recipients of a group's keys in ascending order: root, entitled principals and admins. A read-only
  /// machine that has expired by the time of the entry with the boxes gets none.
  package func recipients(of group: AccessGroupName, at time: Timestamp) -> [AuthorID] {
    var candidates = Array(admins)
    for app in apps.values where app.entitlements.access(to: group) != nil { candidates += principals[app.id] ?? [] }
    return [.root] + candidates.filter { isRecipient($0, of: group, at: time) }.sorted()
  }

  /// Whether a group's keys may be sealed to somebody: one of ``recipients(of:at:)``.
  func isRecipient(_ id: AuthorID, of group: AccessGroupName, at time: Timestamp) -> Bool {
    id == .root || authors[id].map { mayRead($0, group, at: time) } ?? false
  }

  private func mayRead(_ author: Author, _ group: AccessGroupName, at time: Timestamp) -> Bool {
    guard author.cut == nil else { return false }
    guard let app = author.application else { return true }
    if !expiries.isEmpty, let expiry = expiries[author.device], time > expiry { return false }
    guard apps[app]?.entitlements.access(to: group) != nil else { return false }
    // A group's identifier is a hash of its name, which would be computed for each of its readers.
    if author.groupCuts.isEmpty { return true }
    return author.groupCuts[GroupID(vault: vault, name: group.description)]?.keepsReading ?? true
  }
}

/// The validity of a record: whether its author signed it and may write to its group.
package enum RecordValidity: Hashable, Sendable {
  /// The record is signed by an author who may write to the group.
  case valid
  /// The log does not contain the author, the group or the generation of its key. A later log entry may.
  case unknownAuthor
  /// The author signed the record, but may not write to the group. A later log entry may permit it.
  case notEntitled
  /// The author did not sign the record, or the record belongs to another vault. No log entry changes that.
  case invalid(String)
}

extension Membership {
  /// Returns the strictest requirement of the groups in an app's entitlements, with the first of them that has it; nil
  /// if none of them requires anything.
  package func requirement(
    of entitlements: Entitlements
  ) -> (requirement: GroupRequirement, group: AccessGroupName)? {
    let registered = entitlements.groups.compactMap { groups[GroupID(vault: vault, name: $0.name.description)] }
    guard let strictest = registered.map(\.requirement.rawValue).max(), strictest > 0 else { return nil }
    return registered.first { $0.requirement.rawValue == strictest }.map { ($0.requirement, $0.name) }
  }
}
