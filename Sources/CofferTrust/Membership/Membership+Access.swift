package import CofferCrypto
package import CofferFormat

extension Membership {
  /// Returns an author's access to a group; nil if it has none.
  package func access(of author: Author, to group: GroupID) -> Entitlements.Access? {
    guard let group = groups[group] else { return nil }
    switch author.role {
    case .admin: return .readWrite
    case .principal(let application, _, _): return apps[application]?.entitlements.access(to: group.name)
    }
  }

  /// Whether the log lets an author write records of a group under a generation of its key. A record that it does not
  /// permit is pending or refused, if its author signed it.
  package func permits(_ author: AuthorID, toWrite group: GroupID, generation: UInt32) -> Bool {
    guard let author = authors[author], let registered = groups[group],
      registered.generations.indices.contains(Int(generation) - 1)
    else { return false }
    return access(of: author, to: group) == .readWrite
  }

  /// Evaluates a record by its header and signature.
  ///
  /// - Parameters:
  ///   - record: The record to evaluate.
  ///   - isSigned: Returns true if the holder of the key signed the record. A caller that has verified records before
  ///     passes a cheaper check; nil verifies the signature.
  /// - Returns: The validity of the record according to this membership.
  package func standing(
    of record: Record, isSigned: ((Record, VerifyingKey) -> Bool)? = nil
  ) -> RecordStanding {
    let header = record.header
    guard header.vault == vault else { return .invalid("it belongs to another vault") }
    guard let author = authors[header.author] else { return .unknownAuthor }
    // The signature before everything that a later entry may change: a forged copy must not wait for one.
    let isAuthentic = isSigned?(record, author.keys.verifying) ?? record.isSigned(by: author.keys.verifying)
    guard isAuthentic else { return .invalid("its author did not sign it") }
    guard let group = groups[header.group], group.generations.indices.contains(Int(header.generation) - 1) else {
      return .unknownAuthor
    }
    guard access(of: author, to: header.group) == .readWrite else {
      return .notEntitled
    }
    return .valid
  }

  /// Returns all recipients of a group's keys: entitled principals, admins and root.
  package func recipients(of group: AccessGroupName) -> [AuthorID] {
    authors.values.filter { mayRead($0, group) }.map(\.id).sorted() + [.root]
  }

  /// Whether a group's keys may be sealed to somebody: one of ``recipients(of:)``.
  func isRecipient(_ id: AuthorID, of group: AccessGroupName) -> Bool {
    id == .root || authors[id].map { mayRead($0, group) } ?? false
  }

  private func mayRead(_ author: Author, _ group: AccessGroupName) -> Bool {
    switch author.role {
    case .admin: true
    case .principal(let application, _, _): apps[application]?.entitlements.access(to: group) != nil
    }
  }
}
