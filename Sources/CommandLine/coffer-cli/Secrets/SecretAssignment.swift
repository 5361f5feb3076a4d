internal import ArgumentParser
internal import CofferPlatform
internal import CofferVault

/// A variable of the environment and the reference of what it gets, as an option takes it: `NAME=REFERENCE`.
struct SecretAssignment: ExpressibleByArgument, Hashable {
  let name: String
  /// The reference as text. Not checked: nobody may see what was written in its place by mistake.
  let reference: String

  /// Reads an argument. Returns nil unless it begins with the name of a variable and "=".
  init?(argument: String) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, Self.isName(parts[0]) else { return nil }
    name = String(parts[0])
    reference = String(parts[1])
  }

  /// Whether every shell takes a text as the name of a variable.
  static func isName(_ text: some StringProtocol) -> Bool {
    text.count <= 256 && String(text).wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]*/) != nil
  }
}
