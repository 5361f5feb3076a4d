package import CofferCrypto

/// The identifier of an invitation: a keyed hash, which names its branch in the repository and its use in the log, and
/// does not reveal the code.
package struct InvitationID: Identifier {
  package let raw: Bytes16
  package init(_ raw: Bytes16) { self.raw = raw }
}
