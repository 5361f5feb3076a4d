internal import CofferPlatform
internal import CofferSystem
internal import CofferVault

/// The program that shows the dialogs of `coffer-agent` and `coffer-secret-service`. Only root can choose and change it: a program
/// of the user that could put its own in its place would answer the questions itself.
package enum DialogProgram {
  /// The file with the path of the program, if it is not the system's `pinentry`.
  package static let configurationPath = "/etc/coffer/pinentry"
  /// Variables that say where the desktop is and how it talks. All others could load code into the dialog.
  private static let variables = [
    "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "XDG_SESSION_TYPE", "XDG_CURRENT_DESKTOP",
    "DBUS_SESSION_BUS_ADDRESS", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_MESSAGES",
  ]

  /// The paths of the programs to try; empty if the owner of the machine has named one that others can change.
  package static var paths: [String] {
    #if DEBUG
      // Tests answer themselves. A release does not read the variable.
      if let path = CurrentProcess.environment["COFFER_TEST_PINENTRY"] { return [path] }
    #endif
    let named: [String]
    if isAbsent(configurationPath) {
      named = PinentryDialog.systemPaths
    } else {
      guard ProtectedPath.weakness(of: configurationPath) == nil,
        let bytes = try? RegularFile.open(configurationPath, followsLinks: true).read(upTo: 4096),
        let line = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).first
      else { return [] }
      named = [String(line)]
    }
    return named.filter { $0.hasPrefix("/") && !isAbsent($0) && ProtectedPath.weakness(of: $0) == nil }
  }

  package static var environment: [String: String] {
    CurrentProcess.environment.filter { variables.contains($0.key) }.merging(["PATH": "/usr/bin:/bin"]) { $1 }
  }
}
