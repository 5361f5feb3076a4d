package import CofferCrypto
package import CofferFormat

/// An enrolled machine in the membership log.
package struct Device: Hashable, Sendable {
  /// What the owner of a machine may do.
  package enum Role: Hashable, Sendable {
    /// May change the membership, and reads and writes every group, with the keys of this author.
    case admin(AuthorID)
    /// May use the apps that were granted to the machine.
    case member
    /// May read with a headless credential, and never write. From this time on, no new key is sealed to it.
    case readOnly(expires: Timestamp)
  }

  package let id: DeviceID
  package let keys: PartyPublicKeys
  /// The key to which admins seal what they deliver to the machine; nil for one that may only read, and for the first
  /// machine until root has stated its key.
  package let deliveryKey: BoxKey?
  /// The present role. A revoked machine is a member without any right.
  package internal(set) var role: Role
  /// The owner's name for the machine.
  package internal(set) var name: String
  /// The time of enrolment, by the clock of the machine that enrolled it.
  package let enrolled: Timestamp
  /// Who enrolled the machine.
  package let signer: LogEntry.Signer
  /// The revocation of this machine; nil if it is in the vault.
  package internal(set) var revocation: LogPosition?
  /// The last segment of each of its streams that counts after its revocation.
  package internal(set) var lastSegments: [StreamID: StreamPosition] = [:]

  init(
    id: DeviceID, keys: PartyPublicKeys, deliveryKey: BoxKey?, role: Role, name: String, enrolled: Timestamp,
    signer: LogEntry.Signer
  ) {
    self.id = id
    self.keys = keys
    self.deliveryKey = deliveryKey
    self.role = role
    self.name = name
    self.enrolled = enrolled
    self.signer = signer
  }

  /// The admin on this machine; nil for a member.
  package var admin: AuthorID? {
    if case .admin(let id) = role { id } else { nil }
  }

  /// Whether it is an admin's machine that was not removed: such a machine may begin epochs.
  package var isAdmin: Bool { admin != nil && revocation == nil }

  /// Whether the machine may only read.
  package var isReadOnly: Bool { expires != nil }

  /// The time from which on no new key is sealed to it; nil for a machine that may write.
  package var expires: Timestamp? {
    if case .readOnly(let expires) = role { expires } else { nil }
  }

  /// Whether no new key is sealed to the machine at a time.
  package func isExpired(at time: Timestamp) -> Bool { expires.map { time > $0 } ?? false }

  /// Whether a segment of this machine counts.
  func allows(_ position: StreamPosition) -> Bool {
    guard !isReadOnly else { return false }
    guard revocation != nil else { return true }
    guard let last = lastSegments[position.stream] else { return false }
    return position.number < last.number || position == last
  }

  /// Whether the revocation of this machine has ended a stream before a segment, or has not let it begin.
  package func ends(_ stream: StreamID, before number: UInt64) -> Bool {
    revocation != nil && (lastSegments[stream].map { $0.number < number } ?? true)
  }
}

extension Membership {
  /// Whether the revocation of its machine has ended a stream before a position.
  package func hasEnded(before position: StreamPosition) -> Bool {
    devices.values.contains { device in
      device.lastSegments[position.stream].map { $0.number < position.number } ?? false
    }
  }
}
