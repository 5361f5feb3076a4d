internal import CofferSystem

/// How another program runs a bridge: with the app and the group whose secrets it uses.
struct BridgeInstallation {
  /// The word for the bridge on the command line.
  let bridge: String
  /// What tells this installation of the bridge apart, such as a profile; empty if there is only one.
  let name: String
  /// The command, as a shell reads it.
  let command: String

  init(_ bridge: any Bridge.Type, app: String?, group: String?, name: String?) {
    self.bridge = bridge.name
    self.name = name ?? bridge.defaultName ?? ""
    var words = [CurrentProcess.executablePath, "bridge", bridge.name]
    if let app { words += ["--app", app] }
    if let group { words += ["--group", group] }
    command = words.map(\.exactShellWord).joined(separator: " ")
  }

  /// The comment by which the settings of the bridge are found again.
  var mark: String { "# Written by: coffer bridge install \(bridge)" }

  /// The program that other programs start, in the folder for programs of this user.
  func program(_ name: String, isFoundByName: Bool = false) -> ProgramSetting {
    ProgramSetting(name: name, command: command, mark: mark, isFoundByName: isFoundByName)
  }

  /// An entry of a configuration file.
  func entry(_ key: String, _ value: String, table: String?, in file: UserFile) -> EntrySetting {
    EntrySetting(file: file, table: table, key: key, wanted: value, mark: mark)
  }
}
