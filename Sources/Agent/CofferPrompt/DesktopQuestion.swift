internal import CofferPlatform
internal import CofferSystem
internal import CofferVault
internal import Synchronization

/// A question whether a program may do something, in a window of the desktop. Not on a terminal, neither that of this
/// process nor the program's: a program that owns the terminal could answer itself.
package struct DesktopQuestion: Sendable {
  package enum Answer: Hashable, Sendable {
    case agreed
    /// A person has refused, or has closed the window.
    case refused
    /// Nobody has answered within a minute, or waits for the answer any more.
    case unanswered
    /// No window could be shown.
    case unavailable
  }

  /// The question, and below it what to know before answering.
  package let lines: [String]

  /// One window at a time.
  private static let turn = Mutex(())
  private static let timeout = Duration.seconds(60)

  package init(_ lines: [String]) { self.lines = lines }

  /// Asks, after all questions that were asked before.
  package func ask(isCancelled: @escaping @Sendable () -> Bool) -> Answer {
    var dialog = PinentryDialog(lines: lines, confirmTitle: "Allow", cancelTitle: "Refuse")
    DialogProgram.prepare(&dialog)
    return Self.turn.withLock { _ -> Answer in
      // From here on, a person sees it.
      let start = ContinuousClock.now
      let isOver: @Sendable () -> Bool = { isCancelled() || ContinuousClock.now > start + Self.timeout }
      guard !isOver() else { return .unanswered }
      return switch dialog.confirmation(with: DialogProgram.paths, isCancelled: isOver) {
      case .answered: .agreed
      case .cancelled: isOver() ? .unanswered : .refused
      case .unavailable: .unavailable
      }
    }
  }
}

/// The program that shows the dialogs of `coffer-agent` and `coffer-secret-service`. Only root can choose and change
/// it: a program of the user that could put its own in its place would answer the questions itself.
package enum DialogProgram {
  /// The file with the path of the program, if it is not the system's `pinentry`.
  package static let configurationPath = "/etc/coffer/pinentry"
  /// Variables that say where the desktop is and how it talks. All others could load code into the dialog.
  private static let variables = [
    "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "XDG_SESSION_TYPE", "XDG_CURRENT_DESKTOP",
    "DBUS_SESSION_BUS_ADDRESS", "USER", "LOGNAME", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_MESSAGES",
  ]

  /// The paths of the programs to try; empty if the owner of the machine has named one that others can change. A script
  /// of the system that chooses among them, as some distributions have, is left out: other programs of the user could
  /// answer in the place of the one that it starts.
  package static var paths: [String] {
    #if DEBUG
      // Tests answer themselves. A release does not read the variable.
      if let path = CurrentProcess.variable("COFFER_TEST_PINENTRY") { return [path] }
    #endif
    let named: [String]
    if isAbsent(configurationPath) {
      named = PinentryDialog.systemPaths.filter { !isScript($0) }
    } else {
      guard ProtectedPath.weakness(of: configurationPath) == nil,
        let bytes = try? RegularFile.open(configurationPath, followsLinks: true).read(upTo: 4096),
        let line = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).first
      else { return [] }
      named = [String(line)]
    }
    return named.filter { $0.hasPrefix("/") && !isAbsent($0) && ProtectedPath.weakness(of: $0) == nil }
  }

  private static func isScript(_ path: String) -> Bool {
    (try? RegularFile.open(path, followsLinks: true).read(from: 0, upTo: 2)) == Array("#!".utf8)
  }

  /// Prepares a dialog that a program of the desktop shows: not on the terminal that it may have, which is not that of
  /// its callers, and out of reach of other programs of the user.
  package static func prepare(_ dialog: inout PinentryDialog) {
    dialog.environment = environment
    dialog.usesTerminal = false
    dialog.isUnreadable = true
  }

  /// The variables of the dialog. It has no home: GTK loads modules that files there name.
  private static var environment: [String: String] {
    let own = CurrentProcess.environment
    var variables = own.filter { Self.variables.contains($0.key) }
    if variables["XAUTHORITY"] == nil, let home = own["HOME"] { variables["XAUTHORITY"] = "\(home)/.Xauthority" }
    return variables.merging(["PATH": "/usr/bin:/bin", "HOME": "/nonexistent"]) { $1 }
  }
}
