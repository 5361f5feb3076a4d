package import CofferCrypto
package import CofferFormat

/// What a client asks of the agent. One packet: the version, the kind, and the fields of the kind.
package enum AgentRequest: Sendable {
  /// Begins to work as an author of a vault. The agent asks a person first if one of the groups demands it.
  case open(AgentOpening)
  /// Returns the keys of a group.
  case groupKeys(GroupID)
  /// Signs a record.
  case sign(UnsignedRecord)
  /// Keeps keys that a passphrase has opened, and gives the client's process tree a lease of groups.
  case keep(AgentDeposit)
  case lock
  case status

  /// The largest size of a packet in bytes.
  package static let byteCountLimit = 16_384
  static let version: UInt8 = 2
  package static let reasonLimit = 200
  /// For how long a lease holds, in seconds: by default, and at most.
  package static let leaseSeconds: UInt32 = 600
  package static let longestLeaseSeconds: UInt32 = 3600
  static let groupLimit = 256

  /// Returns the packet, in guarded memory: that of ``keep`` has keys.
  package func packet() -> SecretText {
    SecretText(capacity: Self.byteCountLimit) { packet in
      packet.u8(Self.version)
      write(to: &packet)
    }
  }

  private func write(to packet: inout SecretBuffer) {
    switch self {
    case .open(let opening):
      packet.u8(1)
      opening.write(to: &packet)
    case .groupKeys(let group):
      packet.u8(2)
      packet.fixed(group.raw.bytes)
    case .sign(let record):
      packet.u8(3)
      packet.data(record.bytes)
    case .keep(let deposit):
      packet.u8(4)
      deposit.write(to: &packet)
    case .lock: packet.u8(5)
    case .status: packet.u8(6)
    }
  }

  /// Reads a packet.
  package init(packet: SecretText) throws(FormatError) {
    var reader = PacketReader(packet, object: "request")
    guard try reader.u8("version") == Self.version else { throw reader.failure(.unsupportedVersion, "version") }
    switch try reader.u8("kind") {
    case 1: self = .open(try AgentOpening(from: &reader))
    case 2: self = .groupKeys(GroupID(try reader.bytes16("group")))
    case 3: self = .sign(try UnsignedRecord(bytes: try reader.data("record", cap: 8192)))
    case 4: self = .keep(try AgentDeposit(from: &reader))
    case 5: self = .lock
    case 6: self = .status
    default: throw reader.failure(.invalidValue, "kind")
    }
    try reader.finish()
  }
}

extension SecretBuffer {
  mutating func groups(_ groups: [GroupID]) { list(groups) { $0.fixed($1.raw.bytes) } }
}

extension PacketReader {
  mutating func folder() throws(FormatError) -> String {
    let folder = try string("folder", cap: 4096)
    guard folder.hasPrefix("/"), !folder.utf8.contains(0) else { throw failure(.invalidValue, "folder") }
    return folder
  }

  mutating func leaseSeconds() throws(FormatError) -> UInt32 {
    let seconds = try u32("lease")
    guard (1...AgentRequest.longestLeaseSeconds).contains(seconds) else { throw failure(.invalidValue, "lease") }
    return seconds
  }

  mutating func purpose() throws(FormatError) -> KeyPurpose {
    guard let purpose = KeyPurpose(rawValue: try u8("purpose")) else { throw failure(.invalidValue, "purpose") }
    return purpose
  }

  mutating func groups() throws(FormatError) -> [GroupID] {
    try list("groups", cap: AgentRequest.groupLimit) { (reader) throws(FormatError) in
      GroupID(try reader.bytes16("group"))
    }
  }
}

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

/// What a client wants the keys of access groups for.
///
/// It says so itself: the agent cannot know what a program does with keys. It distinguishes the commands of `coffer`,
/// and keeps a tool that uses them from showing values by mistake, see ``AgentOpening/purpose``.
package enum KeyPurpose: UInt8, Sendable {
  /// To change, list or delete items, or to give values to a program that was started for that.
  case use = 1
  /// To show values, or to write them where other programs read them.
  case show = 2
}

/// What the agent answers. One packet, as ``AgentRequest``.
package enum AgentResponse: Sendable {
  /// Why a request has no answer.
  package enum Refusal: UInt8, Sendable {
    /// The agent does not have the keys.
    case locked = 1
    /// A person has to answer, and the agent cannot ask one.
    case leaseRequired = 2
    /// A person has declined, or has not answered.
    case denied = 3
    /// The packet is malformed, of another version, or out of order.
    case malformed = 4
    /// The vault cannot be read, or does not have what was asked for.
    case failed = 5
    /// The process that has opened the connection has ended, or runs another program.
    case otherProcess = 6
    /// No person is asked: too many questions wait, or one was refused a moment ago.
    case notAsked = 7
    /// The keys are an app's, and the client has not proved that it is the app. The second line of the message is what
    /// to do.
    case otherApp = 8
  }

  /// Done, for a number of keys.
  case done(UInt32)
  /// The session has begun.
  case opened
  /// The secrets of a group, by the numbers of the generations, and the key under which the author marks records of the
  /// group that it has verified.
  case secrets([UInt32: SecretBytes], verificationKey: SecretBytes)
  case signature(Signature)
  case refused(Refusal, message: String)
  /// A person is being asked. Another answer follows.
  case asking
  /// The state, as JSON.
  case status([UInt8])

  /// The largest size of a packet in bytes.
  package static let byteCountLimit = 65_536
  private static let secretLimit = 900

  /// Returns the packet, in guarded memory: that of ``secrets`` has keys.
  package func packet() -> SecretText {
    SecretText(capacity: Self.byteCountLimit) { packet in
      packet.u8(AgentRequest.version)
      write(to: &packet)
    }
  }

  private func write(to packet: inout SecretBuffer) {
    switch self {
    case .done(let count):
      packet.u8(1)
      packet.u32(count)
    case .opened: packet.u8(2)
    case .secrets(let secrets, let verificationKey):
      packet.u8(3)
      // The newest ones, if there are more: those before are wrapped in them for whoever opens the log.
      let newest = secrets.sorted { $0.key < $1.key }.suffix(Self.secretLimit)
      packet.list(Array(newest)) { packet, generation in
        packet.u32(generation.key)
        packet.secret(generation.value)
      }
      packet.secret(verificationKey)
    case .signature(let signature):
      packet.u8(4)
      packet.fixed(signature.bytes)
    case .refused(let reason, let message):
      packet.u8(5)
      packet.u8(reason.rawValue)
      packet.string(message)
    case .asking: packet.u8(6)
    case .status(let json):
      packet.u8(7)
      packet.data(json)
    }
  }

  /// Reads a packet.
  package init(packet: SecretText) throws(FormatError) {
    var reader = PacketReader(packet, object: "answer")
    guard try reader.u8("version") == AgentRequest.version else { throw reader.failure(.unsupportedVersion, "version") }
    switch try reader.u8("kind") {
    case 1: self = .done(try reader.u32("number"))
    case 2: self = .opened
    case 3:
      let secrets = try reader.list("secrets", cap: Self.secretLimit) { (reader) throws(FormatError) in
        (generation: try reader.u32("generation"), secret: try reader.secret(64, "secret"))
      }
      // In ascending order, and so none twice.
      guard zip(secrets, secrets.dropFirst()).allSatisfy({ $0.generation < $1.generation }) else {
        throw reader.failure(.invalidValue, "secrets")
      }
      self = .secrets(
        Dictionary(uniqueKeysWithValues: secrets.map { ($0.generation, $0.secret) }),
        verificationKey: try reader.secret(32, "key"))
    case 4: self = .signature(try reader.signature("signature"))
    case 5:
      guard let reason = Refusal(rawValue: try reader.u8("reason")) else {
        throw reader.failure(.invalidValue, "reason")
      }
      self = .refused(reason, message: try reader.string("message", cap: 4096))
    case 6: self = .asking
    case 7: self = .status(try reader.data("status", cap: Self.byteCountLimit))
    default: throw reader.failure(.invalidValue, "kind")
    }
    try reader.finish()
  }
}
