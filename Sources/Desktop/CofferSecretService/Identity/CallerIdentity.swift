internal import CofferTrust
package import CofferVault

/// Who a caller is: a program of the desktop, whose app in the vault has the caller's own collection.
///
/// Nothing of it is what the program says of itself. It is determined once for a connection, and kept until that ends: the bus
/// gives a name such as `:1.42` never to a second one.
package struct CallerIdentity: Hashable, Sendable {
  /// The program; nil for a caller that gets nothing, because who it is cannot be determined.
  package let program: DesktopProgram?
  /// Why it gets nothing; nil if it is known.
  package let refusal: CallerRefusal?

  package init(_ program: DesktopProgram) {
    self.program = program
    refusal = nil
  }

  init(_ refusal: CallerRefusal) {
    program = nil
    self.refusal = refusal
  }

  /// The bundle identifier of the app; empty, which no app has, for a caller that gets nothing.
  package var bundleIdentifier: String { program?.bundleID?.description ?? "" }

  /// The app of all programs that nothing tells apart.
  package static let common = CallerIdentity(.other)
}
