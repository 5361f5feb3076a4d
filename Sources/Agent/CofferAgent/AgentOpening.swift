internal import CofferCrypto
package import CofferFormat

/// What a client says when it begins to work as an author of a vault.
package struct AgentOpening: Hashable, Sendable {
  package let folder: String
  package let author: AuthorID
  /// The groups that are going to be used. The agent asks a person now if one of them demands it.
  package let groups: [GroupID]
  /// For ``KeyPurpose/show``, a person has to answer in each process tree that `coffer run --deny-reads` has started.
  package let purpose: KeyPurpose
  /// Why, as the user of the program says.
  package let reason: String
  /// For how long a lease is asked for, in seconds.
  package let leaseSeconds: UInt32

  package init(
    folder: String, author: AuthorID, groups: [GroupID] = [], purpose: KeyPurpose = .use, reason: String = "",
    leaseSeconds: UInt32 = AgentRequest.leaseSeconds
  ) {
    self.folder = folder
    self.author = author
    self.groups = groups
    self.purpose = purpose
    self.reason = reason
    self.leaseSeconds = leaseSeconds
  }
}

extension AgentOpening {
  func write(to packet: inout SecretBuffer) {
    packet.string(folder)
    packet.fixed(author.raw.bytes)
    packet.groups(groups)
    packet.u8(purpose.rawValue)
    packet.string(reason)
    packet.u32(leaseSeconds)
  }

  init(from reader: inout PacketReader) throws(FormatError) {
    folder = try reader.folder()
    author = AuthorID(try reader.bytes16("author"))
    groups = try reader.groups()
    purpose = try reader.purpose()
    reason = try reader.string("reason", cap: 4 * AgentRequest.reasonLimit)
    leaseSeconds = try reader.leaseSeconds()
  }
}
