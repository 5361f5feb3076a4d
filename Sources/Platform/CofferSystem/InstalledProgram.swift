internal import CofferPlatform

/// The places in which the programs of Coffer are installed together: the folder of this program and libexec, but never
/// `PATH`, which could lead to another program. For an app that is elsewhere, the usual places of an installation, and the
/// folder that `COFFER_LIBEXEC` names.
package enum InstalledProgram {
  /// The names of all programs.
  package static let names: Set = [
    "coffer", "coffer-sync", "coffer-transport", "coffer-inspect", "coffer-agent", "coffer-import",
    "coffer-secret-service",
  ]

  /// Returns the paths at which a program may be, the first one first.
  package static func candidates(for name: String) -> [String] {
    let own = CurrentProcess.executablePath
    let folder = own[..<(own.lastIndex(of: "/") ?? own.startIndex)]
    let parent = folder[..<(folder.lastIndex(of: "/") ?? folder.startIndex)]
    var candidates = ["\(folder)/\(name)", "\(parent)/libexec/coffer/\(name)", "\(parent)/libexec/\(name)"]
    if let folder = CurrentProcess.environment["COFFER_LIBEXEC"], folder.hasPrefix("/") {
      candidates.append("\(folder)/\(name)")
    }
    // Where Scripts/install puts them without --prefix. A process with elevated privileges has an empty environment.
    if let home = CurrentProcess.environment["HOME"], home.hasPrefix("/") {
      candidates.append("\(home)/.local/libexec/coffer/\(name)")
    }
    return candidates + ["/usr/local/libexec/coffer/\(name)", "/usr/libexec/coffer/\(name)"]
  }

  /// Returns the path of a program, or nil if it is not installed.
  package static func path(of name: String) -> String? {
    candidates(for: name).first(where: FileManager.default.isExecutableFile)
  }
}
