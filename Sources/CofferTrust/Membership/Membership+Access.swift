package import CofferCrypto
package import CofferFormat

/// What a record's author is to its group.
package enum RecordStanding: Hashable, Sendable {
  /// Signed by an author who may write the group.
  case valid
  /// The author is not in the log that we have: it may come.
  case unknownAuthor
  /// The author signed it and may not write the group by the log that we have: a later entry may allow it.
  case notEntitled
  /// The author did not sign this, or it is of another vault.
  case refused(String)
}

extension Membership {
  /// What an author may do with a group; nil for nothing.
  package func access(of author: Author, to group: GroupID) -> Entitlements.Access? {
    guard let group = groups[group] else { return nil }
    switch author.role {
    case .admin: return .readWrite
    case .principal(let application, _, _): return apps[application]?.entitlements.access(to: group.name)
    }
  }

  /// Judges a record by what it says and who signed it.
  ///
  /// - Parameter isSigned: Says whether the holder of a key signed it, for those who have checked it before.
  package func standing(
    of record: Record, isSigned: ((Record, VerifyingKey) -> Bool)? = nil
  ) -> RecordStanding {
    let header = record.header
    guard header.vault == vault else { return .refused("it belongs to another vault") }
    guard let group = groups[header.group], let author = authors[header.author] else { return .unknownAuthor }
    guard group.generations.indices.contains(Int(header.generation) - 1) else { return .unknownAuthor }
    let holds = isSigned?(record, author.keys.verifying) ?? record.isSigned(by: author.keys.verifying)
    guard holds else { return .refused("its author did not sign it") }
    guard access(of: author, to: header.group) == .readWrite else {
      return .notEntitled
    }
    return .valid
  }

  /// Everybody who may hold a group's keys: principals entitled to it, admins, and root.
  package func recipients(of group: AccessGroupName) -> [AuthorID] {
    let entitled = authors.values.filter { author in
      switch author.role {
      case .admin: true
      case .principal(let application, _, _): apps[application]?.entitlements.access(to: group) != nil
      }
    }
    return entitled.map(\.id).sorted() + [.root]
  }

  /// The principals of an app on a machine, newest registration last.
  package func principals(of application: ApplicationID, on device: DeviceID) -> [Author] {
    authors.values.filter { author in
      if case .principal(application, _, device) = author.role { true } else { false }
    }
  }

  /// The log's length as words to compare between machines: the first eight bytes of the head's hash as four proquints
  /// (Wilkerson, "A Proposal for Proquints: Identifiers that are Readable, Spellable, and Pronounceable", 2009).
  package var headPhrase: String {
    let consonants = Array("bdfghjklmnprstvz")
    let vowels = Array("aiou")
    let bytes = head.hash.raw.bytes
    return stride(from: 0, to: 8, by: 2).map { index in
      let word = Int(bytes[index]) << 8 | Int(bytes[index + 1])
      return String([
        consonants[word >> 12 & 15], vowels[word >> 10 & 3], consonants[word >> 6 & 15], vowels[word >> 4 & 3],
        consonants[word & 15],
      ])
    }.joined(separator: "-")
  }
}
