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
