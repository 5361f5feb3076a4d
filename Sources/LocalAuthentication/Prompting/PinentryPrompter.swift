internal import CofferCrypto
internal import CofferSystem
internal import Foundation

/// A prompter that uses `pinentry`, GnuPG's dialog program: a window on a desktop, or the terminal.
///
/// The program is started for each prompt and communicates over a socket. The passphrase never appears on a command
/// line, in the environment or in a log.
public struct PinentryPrompter: AuthenticationPrompter {
  /// The programs with windows that GnuPG's distributions have, in the order in which they are tried.
  private static let graphicalPrograms = [
    "pinentry-gnome3", "pinentry-qt", "pinentry-qt6", "pinentry-qt5", "pinentry-gtk-2", "pinentry-gtk", "pinentry-efl",
    "pinentry-fltk", "pinentry-x11",
  ]

  /// The programs to try, in this order.
  package let programs: [String]

  /// Creates a prompter that uses the system's `pinentry`.
  ///
  /// On a desktop, that is if `DISPLAY` or `WAYLAND_DISPLAY` is set, and if `pinentry` is missing or cannot show its
  /// dialog, for instance because it needs a terminal and the program has none, the programs with windows are tried
  /// one after another: `pinentry-gnome3`, `pinentry-qt`, `pinentry-gtk-2`, `pinentry-fltk` and others.
  ///
  /// All are found in `PATH`; in a process that runs with elevated privileges, such as a setuid program, only
  /// `/usr/bin/pinentry` is used.
  public init() { self.init(environment: CurrentProcess.environment) }

  /// Creates a prompter for a desktop or terminal that the environment describes.
  package init(environment: [String: String]) {
    let isDesktop = ["DISPLAY", "WAYLAND_DISPLAY"].contains { environment[$0]?.isEmpty == false }
    programs = (["pinentry"] + (isDesktop ? Self.graphicalPrograms : [])).map(Self.trusted)
  }

  /// Creates a prompter that uses one program.
  ///
  /// - Parameter program: The dialog program: a path, or a name to find in `PATH`. In a process that runs with elevated
  ///   privileges, such as a setuid program, a name is looked up in `/usr/bin` only.
  public init(program: String) { programs = [Self.trusted(program)] }

  private static func trusted(_ program: String) -> String {
    let isTrusted = program.contains("/") || !CurrentProcess.hasElevatedPrivileges
    return isTrusted ? program : "/usr/bin/\(program)"
  }

  /// Shows the dialog and waits for the answer; `unavailable` if every program is missing or cannot show its dialog.
  public func ask(_ request: AuthenticationRequest) -> AuthenticationAnswer {
    for program in programs {
      let answer = Self.ask(request, with: program)
      guard case .unavailable = answer else { return answer }
    }
    return .unavailable
  }

  private static func ask(_ request: AuthenticationRequest, with program: String) -> AuthenticationAnswer {
    guard let dialog = AssuanConnection.start(program) else { return .unavailable }
    let terminal = AssuanConnection.terminal
    do {
      try dialog.expectOK(for: request)
      // Without a terminal, pinentry-tty would report that the user has cancelled.
      if terminal == nil, dialog.needsTerminal(for: request) { return .unavailable }
      try dialog.setUp(for: request, terminal)
      return .passphrase(Passphrase(try dialog.secret(for: request)))
    } catch {
      return error == .cancelled || request.isCancelled ? .cancelled : .unavailable
    }
  }
}

extension AssuanConnection {
  /// Sends the terminal's name and the texts to show. Errors for options are ignored: not every dialog supports all.
  fileprivate func setUp(for request: AuthenticationRequest, _ terminal: String?) throws(Failure) {
    for (name, value) in options(for: terminal) { try? command("OPTION \(name)=\(value)", for: request) }
    try command("SETTITLE Coffer", for: request)
    try command("SETDESC \(AssuanLine.escaped(request.reason.asTerminalLine))", for: request)
    try command("SETPROMPT \(request.secret.prompt):", for: request)
    if let title = request.cancelTitle {
      try? command("SETCANCEL \(AssuanLine.escaped(title.asTerminalLine))", for: request)
    }
    if request.failedAttempts > 0 { try command("SETERROR \(request.secret.refusal)", for: request) }
  }

  /// The terminal's name and type, which the dialog needs if there is no desktop.
  private func options(for terminal: String?) -> [(String, String)] {
    [("ttyname", terminal), ("ttytype", CurrentProcess.environment["TERM"])].compactMap { name, value in
      // Values for a program, not for people: one that could break the protocol is left out instead of escaped.
      value.flatMap { value in
        value.unicodeScalars.contains { $0.properties.generalCategory == .control }
          ? nil : (name, AssuanLine.escaped(value))
      }
    }
  }

  /// The terminal in which the dialog may be shown: the one that `GPG_TTY` names, or else that of a standard stream. Nil
  /// if neither is a terminal.
  fileprivate static var terminal: String? {
    if let name = CurrentProcess.environment["GPG_TTY"], isTerminal(name) { return name }
    return (0...2).lazy.compactMap(terminalName).first
  }

  /// Returns whether the dialog is in a terminal: `GETINFO flavor` is `tty`, `curses`, or for example `gtk2:curses` for a
  /// dialog with a window that has no display. False if the program does not say.
  fileprivate func needsTerminal(for request: AuthenticationRequest) -> Bool {
    guard let answer = try? information("flavor", for: request) else { return false }
    let flavor = unsafe answer.withBytes { unsafe String(decoding: $0, as: UTF8.self) }
    return ["tty", "curses"].contains { flavor == $0 || flavor.hasSuffix(":\($0)") }
  }

  private static func isTerminal(_ path: String) -> Bool {
    let descriptor = unsafe open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return isatty(descriptor) == 1
  }

  private static func terminalName(_ descriptor: Int) -> String? {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { name in
      guard let start = name.baseAddress, unsafe ttyname_r(Int32(descriptor), start, name.count) == 0 else {
        return nil
      }
      return unsafe String(cString: start)
    }
  }
}
