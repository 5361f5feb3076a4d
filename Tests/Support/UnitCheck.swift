private import Foundation

/// systemd's own check of unit files.
package enum UnitCheck {
  /// Returns what `systemd-analyze` finds in the user's units at `paths`: nothing, if they are right.
  package static func complaints(about paths: [String]) throws -> String {
    // The units of other programs, which it loads too, name sockets in this folder, and the path of a socket is short.
    let runtime = "/tmp/coffer-\(UInt32.random(in: 0 ... .max))"
    try FileManager.default.createDirectory(
      atPath: runtime, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    defer { try? FileManager.default.removeItem(atPath: runtime) }
    return try Command.run(
      arguments: ["systemd-analyze", "--user", "verify"] + paths, environment: ["XDG_RUNTIME_DIR": runtime])
  }
}
