internal import CofferTrust
package import CofferVault

/// Who a caller is: a program of the desktop, whose app in the vault has the caller's own collection.
///
/// Nothing of it is what the program says of itself. It is determined once for a connection, and kept until that ends: the bus
/// gives a name such as `:1.42` never to a second one.
package struct CallerIdentity: Hashable, Sendable {
  /// The program; nil for a caller that gets nothing, because who it is cannot be determined.
  package let program: DesktopProgram?
  /// Why it gets nothing, as a clause that is safe to show; nil if it is known.
  package let refusal: String?

  package init(_ program: DesktopProgram) {
    self.program = program
    refusal = nil
  }

  init(refused reason: String) {
    program = nil
    refusal = reason
  }

  /// The bundle identifier of the app; empty, which no app has, for a caller that gets nothing.
  package var bundleIdentifier: String { program?.bundleID?.description ?? "" }

  /// The app of all programs that nothing tells apart.
  package static let common = CallerIdentity(.other)
}
