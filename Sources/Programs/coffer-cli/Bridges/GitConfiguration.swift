internal import CofferPlatform
internal import CofferSystem
internal import CofferVault

/// The entry of the bridge in git's configuration of this user.
enum GitConfiguration {
  private static let key = "credential.helper"
  /// Which entries are the bridge's.
  private static let pattern = "/coffer'? bridge git( .*)?$"

  static func install(_ command: String) throws(VaultError) -> [String] {
    let value = "!\(command)"
    guard try run(["--replace-all", key, value, pattern]).exit == .code(0) else { throw failure }
    return ["\(key) = \(value) in git's configuration of this user (git config --global)"]
  }

  static func remove() throws(VaultError) -> [String] {
    guard let command = try installedCommand() else { return [] }
    guard try run(["--unset-all", key, pattern]).exit == .code(0) else { throw failure }
    return ["\(key) = !\(command) in git's configuration of this user (git config --global)"]
  }

  static func installedCommand() throws(VaultError) -> String? {
    let outcome = try run(["--get-all", key, pattern])
    let text = String(decoding: outcome.output, as: UTF8.self).split(separator: "\n").first
    return outcome.exit == .code(0) ? text.map { String($0.drop { $0 == "!" }) } : nil
  }

  private static var failure: VaultError {
    VaultError(
      .io, "git's configuration could not be changed", recoverySuggestion: "see why with: git config --global --edit")
  }

  private static func run(_ arguments: [String]) throws(VaultError) -> (exit: ChildProcess.Exit, output: [UInt8]) {
    do throws(SystemError) {
      let pipe = try Descriptor.pipe()
      let child = try ChildProcess.start(
        "git", arguments: ["config", "--global"] + arguments, searchesPath: true, input: .null,
        output: .descriptor(pipe.theirs.rawValue))
      let output = pipe.closeTheirs().readToEnd(maximumByteCount: 65_536)
      return (child.wait(), output)
    } catch {
      throw VaultError(.io, "\(error)", recoverySuggestion: "install git")
    }
  }
}
