package import CofferCrypto

/// The key of an invitation, which both sides derive from the code.
package struct InvitationKey: Sendable {
  /// What the inviter keeps instead of the code.
  package let key: SymmetricKey

  package init(_ key: SymmetricKey) { self.key = key }

  /// The name of the invitation in the repository and in the log.
  package var id: InvitationID { InvitationID(key.keyedHash16([], domain: .invitationID)) }

  /// Returns the name of a request in the repository. It reveals nothing of the request, and no other request has it.
  /// It is 8 bytes of a keyed hash of the request, and 8 bytes of a keyed hash of these.
  package func label(of request: Bytes32) -> Bytes16 { label(beginningWith: tag(of: request.bytes)) }

  /// Whether a label was made with this key. An attacker with push access can create branches of any other name: only those
  /// with such a label need to be fetched.
  package func hasMade(_ label: Bytes16) -> Bool {
    self.label(beginningWith: Array(label.bytes.prefix(Self.tagByteCount))) == label
  }

  private static let tagByteCount = Bytes16.count / 2

  private func label(beginningWith first: [UInt8]) -> Bytes16 { Bytes16(in: first + tag(of: first), at: 0) }

  private func tag(of bytes: [UInt8]) -> [UInt8] {
    Array(key.keyedHash16(bytes, domain: .invitationLabel).bytes.prefix(Self.tagByteCount))
  }

  /// Seals the request. The answer has a key of its own, so that neither can be shown in place of the other.
  var request: SymmetricKey { key.derived(context: "CfInvReq") }

  /// Seals the answer.
  var answer: SymmetricKey { key.derived(context: "CfInvAns") }
}
