package import CofferCrypto

/// The key of an invitation, which both sides derive from the code.
package struct InvitationKey: Sendable {
  /// What the inviter keeps instead of the code.
  package let key: SymmetricKey

  package init(_ key: SymmetricKey) { self.key = key }

  /// The name of the invitation in the repository and in the log.
  package var id: InvitationID { InvitationID(key.keyedHash16([], domain: .invitationID)) }

  /// The name of a request in the repository. It reveals nothing of the request, and no other request has it.
  package func label(of request: Bytes32) -> Bytes16 { key.keyedHash16(request.bytes, domain: .invitationID) }

  /// Seals the request. The answer has a key of its own, so that neither can be shown in place of the other.
  var request: SymmetricKey { key.derived(context: "CfInvReq") }

  /// Seals the answer.
  var answer: SymmetricKey { key.derived(context: "CfInvAns") }
}
