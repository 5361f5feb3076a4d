/// A message that has arrived.
package struct BusMessage: Sendable {
  package enum Kind: Sendable {
    case call, reply, error, signal
  }

  package let kind: Kind
  /// The unique name of the connection that has sent the message; empty if the bus does not say.
  package let sender: String
  package let path: String
  /// Empty if a call names none.
  package let interface: String
  package let member: String
  package let serial: UInt32
  /// The number of the call that a reply or an error answers.
  package let replySerial: UInt32
  /// The name of an error.
  package let errorName: String
  package let expectsReply: Bool
  /// The types of the values, as D-Bus writes them.
  package let signature: String
  package let values: [BusValue]
  /// About how many bytes the values take.
  package let byteCount: Int
  /// Whether the values were too many or too large, and were not read.
  package let isTruncated: Bool

  package init(
    _ kind: Kind, sender: String, path: String, interface: String, member: String, serial: UInt32 = 0,
    replySerial: UInt32 = 0, errorName: String = "", expectsReply: Bool = true, signature: String = "",
    values: [BusValue] = [], byteCount: Int = 0, isTruncated: Bool = false
  ) {
    self.byteCount = byteCount
    self.isTruncated = isTruncated
    self.kind = kind
    self.sender = sender
    self.path = path
    self.interface = interface
    self.member = member
    self.serial = serial
    self.replySerial = replySerial
    self.errorName = errorName
    self.expectsReply = expectsReply
    self.signature = signature
    self.values = values
  }
}
