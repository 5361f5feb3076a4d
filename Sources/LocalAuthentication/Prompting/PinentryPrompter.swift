internal import CofferCrypto
internal import CofferSystem
internal import Foundation

/// A prompter that uses `pinentry`, GnuPG's dialog program: a window on a desktop, or the terminal.
///
/// The program is started for each prompt and communicates over a socket. The passphrase never appears on a command
/// line, in the environment or in a log.
public struct PinentryPrompter: AuthenticationPrompter {
  private let program: String

  /// Creates a prompter.
  ///
  /// - Parameter program: The dialog program: a path, or a name to find in `PATH`. In a process that runs with elevated
  ///   privileges, such as a setuid program, a name is looked up in `/usr/bin` only.
  public init(program: String = "pinentry") {
    let isTrusted = program.contains("/") || !CurrentProcess.hasElevatedPrivileges
    self.program = isTrusted ? program : "/usr/bin/\(program)"
  }

  /// Shows the dialog and waits for the answer; `unavailable` if the program is missing or cannot show its dialog.
  public func ask(_ request: AuthenticationRequest) -> AuthenticationAnswer {
    guard let dialog = AssuanConnection.start(program) else { return .unavailable }
    do {
      try dialog.expectOK(for: request)
      try dialog.setUp(for: request)
      return .passphrase(Passphrase(try dialog.secret(for: request)))
    } catch {
      return error == .cancelled || request.isCancelled ? .cancelled : .unavailable
    }
  }
}

extension AssuanConnection {
  /// Sends the terminal's name and the texts to show. Errors for options are ignored: not every dialog supports all.
  fileprivate func setUp(for request: AuthenticationRequest) throws(Failure) {
    for (name, value) in terminalOptions { try? command("OPTION \(name)=\(value)", for: request) }
    try command("SETTITLE Coffer", for: request)
    try command("SETDESC \(AssuanLine.escaped(request.reason.asTerminalLine))", for: request)
    try command("SETPROMPT \(request.secret.prompt):", for: request)
    if let title = request.cancelTitle {
      try? command("SETCANCEL \(AssuanLine.escaped(title.asTerminalLine))", for: request)
    }
    if request.failedAttempts > 0 { try command("SETERROR \(request.secret.refusal)", for: request) }
  }

  /// The terminal's name and type, which the dialog needs if there is no desktop.
  private var terminalOptions: [(String, String)] {
    let environment = CurrentProcess.environment
    let terminal = environment["GPG_TTY"] ?? (0...2).lazy.compactMap(Self.terminalName).first
    return [("ttyname", terminal), ("ttytype", environment["TERM"])].compactMap { name, value in
      // Values for a program, not for people: one that could break the protocol is left out instead of escaped.
      value.flatMap { value in
        value.unicodeScalars.contains { $0.properties.generalCategory == .control }
          ? nil : (name, AssuanLine.escaped(value))
      }
    }
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
