package import CofferVault
internal import CofferSystem

/// Who has opened a connection of the bus.
///
/// Nothing of it is what the program says of itself. It is determined once for a connection, and kept until that ends: a name
/// such as `:1.42` is never given to a second one.
package struct CallerIdentity: Hashable, Sendable {
  /// The app whose collections it gets.
  package let program: DesktopProgram
  /// The process that has connected. For a Flatpak, it is that of the sandbox's proxy.
  package let process: ProcessLineage.Member
  /// The path of the program's file, to show and to remember an answer by; nil if the system does not tell. Another program of
  /// the user can forge it.
  package let path: String?

  /// Whether the program is in a sandbox. It does not get the collections of other programs, also before it has its own.
  package var isSandboxed: Bool {
    switch program {
    case .flatpak, .snap: true
    case .group, .other: false
    }
  }

  /// The caller as a noun phrase for a question or the log.
  package var words: String {
    switch program {
    case .flatpak, .snap, .group: program.words.sanitizedForTerminal(limit: 120)
    case .other: "\((path ?? process.name).sanitizedForTerminal(limit: 100)) (\(process.identifier))"
    }
  }
}
