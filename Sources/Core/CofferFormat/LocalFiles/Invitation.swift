package import CofferCrypto

/// An invitation as its inviter keeps it.
package struct Invitation: Coded {
  /// What has become of it. Whether it has expired is a matter of the clock, and the log has whether it was used.
  package enum State: UInt8, Sendable {
    case open = 0
    case cancelled = 1
    /// Two machines have asked with its code.
    case burned = 2
  }

  package let key: InvitationKey
  package let created: Timestamp
  /// From this time on, by the inviter's clock, no request is approved.
  package let expires: Timestamp
  /// Whether the machine becomes an admin.
  package let isForAdmin: Bool
  /// The application identifiers of the apps that a member gets, in ascending order.
  package let applications: [String]
  /// The name that the machine gets; nil for the one that it asks for.
  package let name: String?
  package var state: State
  /// The hashes of the genuine requests that this machine has seen, at most ``requestLimit``. A host could show one,
  /// and another one later.
  package private(set) var requests: [Bytes32]

  /// More than two need not be remembered: two end the invitation.
  package static let requestLimit = 2

  package init(
    key: InvitationKey, created: Timestamp, expires: Timestamp, isForAdmin: Bool, applications: [String],
    name: String?, state: State = .open, requests: [Bytes32] = []
  ) {
    self.key = key
    self.created = created
    self.expires = expires
    self.isForAdmin = isForAdmin
    self.applications = applications
    self.name = name
    self.state = state
    self.requests = requests
  }

  /// The name of the invitation in the repository and in the log.
  package var id: InvitationID { key.id }

  /// Remembers a genuine request, and returns whether something has changed. A second one ends an open invitation.
  package mutating func record(_ request: Bytes32) -> Bool {
    guard !requests.contains(request), requests.count < Self.requestLimit else { return false }
    requests.append(request)
    if requests.count > 1, state == .open { state = .burned }
    return true
  }

  package func write(to writer: inout ByteWriter) {
    writer.secret(key.key.secret)
    writer.i64(created.microseconds)
    writer.i64(expires.microseconds)
    writer.bool(isForAdmin)
    writer.list(applications) { $0.string($1) }
    writer.optional(name) { $0.string($1) }
    writer.u8(state.rawValue)
    writer.list(requests) { $0.fixed($1) }
  }

  package init(from reader: inout ByteReader) throws(FormatError) {
    key = InvitationKey(try reader.symmetricKey("key"))
    created = Timestamp(microseconds: try reader.i64("created"))
    expires = Timestamp(microseconds: try reader.i64("expires"))
    isForAdmin = try reader.bool("admin")
    applications = try reader.list("apps", cap: Limits.appsPerInvitation) { (reader) throws(FormatError) in
      try reader.string("app", cap: Limits.identifierByteCount)
    }
    name = try reader.optional("name") { (reader) throws(FormatError) in
      try reader.string("name", cap: Limits.deviceNameByteCount)
    }
    guard let state = State(rawValue: try reader.u8("state")) else { throw reader.failure(.invalidValue, "state") }
    self.state = state
    requests = try reader.list("requests", cap: Self.requestLimit) { (reader) throws(FormatError) in
      try reader.bytes32("request")
    }
  }
}

/// The invitations of one inviter.
///
/// It is not sealed under the passphrase: every sync looks for requests, and what its keys open is worth nothing
/// without the approval, which needs the keys of the admin.
package struct InvitationsFile: SecretObject {
  package let genesis: EntryHash
  /// The oldest first.
  package var invitations: [Invitation]

  package init(genesis: EntryHash, invitations: [Invitation] = []) {
    self.genesis = genesis
    self.invitations = invitations
  }

  package func secretBytes() -> [UInt8] {
    // Room for everything: an array that grows leaves copies of the keys behind.
    let capacity = invitations.reduce(256) { total, invitation in
      total + 512 + invitation.applications.reduce(0) { $0 + 4 + $1.utf8.count }
    }
    var writer = ByteWriter(reserving: capacity)
    writer.begin(.invitationsFile)
    writer.fixed(genesis.raw)
    writer.list(invitations)
    return writer.bytes
  }

  package init(secretBytes: [UInt8]) throws(FormatError) {
    var reader = ByteReader(secretBytes, object: ObjectKind.invitationsFile.name)
    try reader.begin(.invitationsFile)
    genesis = EntryHash(try reader.bytes32("genesis"))
    invitations = try reader.list("invitations", cap: Limits.invitations)
    try reader.finish()
  }
}
