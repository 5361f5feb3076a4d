package import CofferCrypto
package import CofferFormat

/// Keys for the agent, and how it is to keep them.
package struct AgentDeposit: Sendable {
  package let folder: String
  package let author: AuthorID
  /// The 64 secret bytes of the author's keys.
  package let secret: SecretBytes
  /// After how long without use the keys are dropped; nil for the time as it was.
  package let idleSeconds: UInt32?
  /// Whether every group demands a lease; nil for as it was.
  package let confirms: Bool?
  /// The groups of which the client's process tree gets a lease.
  package let leased: [GroupID]
  /// What the lease is for.
  package let purpose: KeyPurpose
  /// For how long.
  package let leaseSeconds: UInt32

  package init(
    folder: String, author: AuthorID, secret: SecretBytes, idleSeconds: UInt32? = nil, confirms: Bool? = nil,
    leased: [GroupID] = [], purpose: KeyPurpose = .use, leaseSeconds: UInt32 = AgentRequest.leaseSeconds
  ) {
    self.folder = folder
    self.author = author
    self.secret = secret
    self.idleSeconds = idleSeconds
    self.confirms = confirms
    self.leased = leased
    self.purpose = purpose
    self.leaseSeconds = leaseSeconds
  }
}

extension AgentDeposit {
  func write(to packet: inout SecretBuffer) {
    packet.string(folder)
    packet.fixed(author.raw.bytes)
    packet.secret(secret)
    packet.optional(idleSeconds) { $0.u32($1) }
    packet.optional(confirms) { $0.bool($1) }
    packet.groups(leased)
    packet.u8(purpose.rawValue)
    packet.u32(leaseSeconds)
  }

  init(from reader: inout PacketReader) throws(FormatError) {
    folder = try reader.folder()
    author = AuthorID(try reader.bytes16("author"))
    secret = try reader.secret(64, "keys")
    idleSeconds = try reader.optional("idle time") { (reader) throws(FormatError) in
      let seconds = try reader.u32("idle time")
      guard (1...86_400).contains(seconds) else { throw reader.failure(.invalidValue, "idle time") }
      return seconds
    }
    confirms = try reader.optional("confirmation") { (reader) throws(FormatError) in try reader.bool("confirmation") }
    leased = try reader.groups()
    purpose = try reader.purpose()
    leaseSeconds = try reader.leaseSeconds()
  }
}
