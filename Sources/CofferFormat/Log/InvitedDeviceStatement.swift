package import CofferCrypto

/// A machine that was enrolled by invitation, as a member.
package struct InvitedDeviceStatement: Hashable, Sendable {
  /// The machine's keys for sync.
  package let keys: PartyPublicKeys
  /// The key to which admins seal what they deliver to the machine.
  package let deliveryKey: BoxKey
  /// The invitation, of which no other entry may make use.
  package let invitation: InvitationID
  /// The owner's name for the machine: 1…128 bytes of UTF-8 without control characters.
  package let name: String

  package init(keys: PartyPublicKeys, deliveryKey: BoxKey, invitation: InvitationID, name: String) {
    self.keys = keys
    self.deliveryKey = deliveryKey
    self.invitation = invitation
    self.name = name
  }

  func write(to writer: inout ByteWriter) {
    writer.publicKeys(keys)
    writer.fixed(deliveryKey.raw)
    writer.fixed(invitation.raw)
    writer.string(name)
  }

  init(from reader: inout ByteReader) throws(FormatError) {
    keys = try reader.publicKeys("keys")
    deliveryKey = BoxKey(try reader.bytes32("delivery key"))
    invitation = InvitationID(try reader.bytes16("invitation"))
    name = try reader.string("name", cap: Limits.deviceNameByteCount)
    guard DeviceStatement.isValid(name: name) else { throw reader.failure(.invalidValue, "name") }
  }
}
