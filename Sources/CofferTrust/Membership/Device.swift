package import CofferCrypto
package import CofferFormat

/// An enrolled machine in the membership log.
package struct Device: Hashable, Sendable {
  package let id: DeviceID
  package let keys: PartyPublicKeys
  /// The admin on this machine; nil if the machine may not change membership.
  package let admin: AuthorID?
  package let name: String
  /// The time of enrolment, by the clock of the machine that enrolled it.
  package let enrolled: Timestamp
  /// The revocation of this machine; nil for a member.
  package internal(set) var revocation: LogPosition?
  /// The last segment of each of its streams that counts after its revocation.
  package internal(set) var lastSegments: [StreamID: StreamPosition] = [:]

  init(id: DeviceID, keys: PartyPublicKeys, admin: AuthorID?, name: String, enrolled: Timestamp) {
    self.id = id
    self.keys = keys
    self.admin = admin
    self.name = name
    self.enrolled = enrolled
  }

  /// Whether a segment of this machine counts.
  package func allows(_ position: StreamPosition) -> Bool {
    guard revocation != nil else { return true }
    guard let last = lastSegments[position.stream] else { return false }
    return position.number < last.number || position == last
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
