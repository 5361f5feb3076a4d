package import CofferTrust

/// The membership that results from folding the log up to one entry. The object stays the same as long as the log does,
/// so that what is derived from it can be cached by identity.
package final class FoldedLog: Sendable {
  /// The membership that counts.
  package let membership: Membership

  init(_ membership: Membership) { self.membership = membership }
}
