internal import ArgumentParser
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

/// Another program that asks Coffer for its passwords.
enum Bridge: String, CaseIterable, ExpressibleByArgument {
  case git, docker

  /// What is written where, in words.
  func install(_ command: BridgeCommandLine) throws(VaultError) -> [String] {
    switch self {
    case .git: try GitConfiguration.install(command.text)
    case .docker: try DockerConfiguration.install(command.text)
    }
  }

  /// Undoes ``install(_:)``. Returns what was removed, in words; empty if it was not installed.
  func remove() throws(VaultError) -> [String] {
    switch self {
    case .git: try GitConfiguration.remove()
    case .docker: try DockerConfiguration.remove()
    }
  }

  /// The command that the other program runs; nil if the bridge is not installed.
  func installedCommand() throws(VaultError) -> String? {
    switch self {
    case .git: try GitConfiguration.installedCommand()
    case .docker: try DockerConfiguration.installedCommand()
    }
  }
}

/// The command line by which another program runs this one, with the app and the group whose passwords it uses.
struct BridgeCommandLine {
  let text: String

  init(_ bridge: Bridge, app: String?, group: String?) {
    var words = [CurrentProcess.executablePath, "bridge", bridge.rawValue]
    if let app { words += ["--app", app] }
    if let group { words += ["--group", group] }
    text = words.map { $0.shellWord }.joined(separator: " ")
  }
}
