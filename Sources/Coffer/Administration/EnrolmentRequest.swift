package import CofferCrypto
internal import CofferFormat

/// What a new machine states of itself to be enrolled. Nothing of it is secret: whoever may enrol machines can do it for a
/// machine that is elsewhere.
package struct EnrolmentRequest: Hashable, Sendable {
  /// The machine's keys for sync.
  let keys: PartyPublicKeys
  /// The key to which admins seal what they deliver to it.
  let deliveryKey: BoxKey
  /// The keys of its admin; nil for a member.
  let adminKeys: PartyPublicKeys?
  /// A valid name that no machine has.
  let name: String

  package init(keys: PartyPublicKeys, deliveryKey: BoxKey, adminKeys: PartyPublicKeys?, name: String) {
    self.keys = keys
    self.deliveryKey = deliveryKey
    self.adminKeys = adminKeys
    self.name = name
  }
}
