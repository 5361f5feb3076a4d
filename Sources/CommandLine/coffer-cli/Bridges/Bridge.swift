internal import ArgumentParser
internal import CofferSystem
internal import CofferVault

/// Another program that asks Coffer for its secrets: the command that answers it, and the settings by which it finds that
/// command.
protocol Bridge: ParsableCommand {
  /// The programs that the command answers, in words.
  static var clients: String { get }
  /// What installations are told apart by, such as the profile `default`; nil if there is only one.
  static var defaultName: String? { get }
  /// Why an installation cannot have a name; nil if it can.
  static func nameError(_ name: String) -> String?
  /// Throws `invalidArgument` if the other program is not one for the bridge.
  static func checkClient() throws(VaultError)
  /// What is written into the configuration of this user. The first one has the command.
  static func settings(_ installation: BridgeInstallation) throws(VaultError) -> [any BridgeSetting]
  /// What the user has to do besides, because no file can.
  static func advice(_ installation: BridgeInstallation) -> [String]
  /// What keeps the other program from using an installed bridge, apart from what its settings find.
  static func findings() throws(VaultError) -> [Finding]
}

extension Bridge {
  static var defaultName: String? { nil }
  static func nameError(_ name: String) -> String? {
    let isPlain = !name.isEmpty && name.unicodeScalars.allSatisfy { $0.isSafeForTerminal }
    return isPlain ? nil : "--name takes no empty name and no control characters"
  }
  static func checkClient() throws(VaultError) {}
  static func advice(_ installation: BridgeInstallation) -> [String] { [] }
  static func findings() throws(VaultError) -> [Finding] { [] }

  /// The word for it on the command line.
  static var name: String { configuration.commandName ?? "" }

  /// The settings of an installation for the owner, by which an earlier one is found whatever it names.
  static func anySettings() throws(VaultError) -> [any BridgeSetting] {
    try settings(BridgeInstallation(self, app: nil, group: nil, name: nil))
  }

  /// The command that the other program runs; nil if the bridge is not installed.
  static func installedCommand() throws(VaultError) -> String? { try anySettings().first?.current() }
}

/// The bridges, in the order of the lists.
enum Bridges {
  static let all: [any Bridge.Type] = [
    BridgeGitCommand.self, BridgeDockerCommand.self, BridgeKeyringCommand.self, BridgeCargoCommand.self,
    BridgeAWSCommand.self, BridgeKubectlCommand.self, BridgeAnsibleCommand.self, BridgeSSHAskpassCommand.self,
    BridgeSystemdCommand.self,
  ]
}

/// A bridge that a command line names.
struct BridgeChoice: ExpressibleByArgument {
  let bridge: any Bridge.Type

  init?(argument: String) {
    guard let bridge = Bridges.all.first(where: { $0.name == argument }) else { return nil }
    self.bridge = bridge
  }

  static var allValueStrings: [String] { Bridges.all.map { $0.name } }
}
