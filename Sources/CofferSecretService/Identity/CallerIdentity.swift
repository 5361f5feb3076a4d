internal import CofferSystem
package import CofferVault

/// Who a caller is: a program of the desktop, whose app in the vault has the caller's own collection.
///
/// Nothing of it is what the program says of itself. It is determined once for a connection, and kept until that ends: the bus
/// gives a name such as `:1.42` never to a second one.
package struct CallerIdentity: Hashable, Sendable {
  /// The program; nil for a caller that gets nothing, because who it is cannot be determined.
  package let program: DesktopProgram?
  /// Why it gets nothing, as a clause that is safe to show; nil if it is known.
  package let refusal: String?
  /// The path of the program's file, or the name of its process: to show, and to remember an answer by. Another program of the
  /// user can forge it.
  package let path: String
  package let process: Int32

  init(_ program: DesktopProgram, path: String, process: Int32) {
    self.program = program
    self.path = path
    self.process = process
    refusal = nil
  }

  init(refused reason: String, process: Int32 = 0) {
    program = nil
    refusal = reason
    path = ""
    self.process = process
  }

  /// The bundle identifier of the app; empty, which no app has, for a caller that gets nothing.
  package var bundleIdentifier: String { program?.bundleID?.description ?? "" }

  /// The app of all programs that nothing tells apart.
  package static let common = CallerIdentity(.other, path: "", process: 0)

  /// Whether the program is in a sandbox. It gets no collection of another program, also before it has its own.
  package var isSandboxed: Bool {
    switch program {
    case .flatpak, .snap: true
    case .group, .other, nil: false
    }
  }

  /// The caller as a noun phrase for a question.
  package var words: String {
    switch program {
    case .flatpak, .snap, .group: (program?.words ?? "").sanitizedForTerminal(limit: 120)
    case .other, nil: "\(path.sanitizedForTerminal(limit: 100)) (\(process))"
    }
  }
}
