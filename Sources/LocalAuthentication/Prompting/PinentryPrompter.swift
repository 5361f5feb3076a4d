internal import CofferCrypto
internal import CofferSystem
internal import Foundation

/// Asks through `pinentry`, GnuPG's dialog, which the desktop or the terminal shows.
///
/// It is started for each question and spoken to over a socket; the passphrase is on no command line, in no
/// environment and in no log.
public struct PinentryPrompter: AuthenticationPrompter {
  private let program: String

  /// - Parameter program: The dialog's program, by path or by its name in `PATH`. A program that gained privileges when
  ///   it was started looks for a name in `/usr/bin` only.
  public init(program: String = "pinentry") {
    let isTrusted = program.contains("/") || !CurrentProcess.hasElevatedPrivileges
    self.program = isTrusted ? program : "/usr/bin/\(program)"
  }

  /// Asks; `unavailable` where the program is missing, or cannot show its dialog.
  public func ask(_ request: AuthenticationRequest) -> AuthenticationAnswer {
    guard let dialog = AssuanConnection.start(program) else { return .unavailable }
    do {
      try dialog.expectOK(for: request)
      try dialog.setUp(for: request)
      var secret = try dialog.secret(for: request)
      return .passphrase(Passphrase(moving: &secret))
    } catch {
      return error == .cancelled || request.isCancelled ? .cancelled : .unavailable
    }
  }
}

extension AssuanConnection {
  /// Tells the dialog where it is and what to show. Options that a dialog does not know do no harm.
  fileprivate func setUp(for request: AuthenticationRequest) throws(Failure) {
    for (name, value) in terminalOptions { try? command("OPTION \(name)=\(value)", for: request) }
    try command("SETTITLE Coffer", for: request)
    try command("SETDESC \(Self.escaped(request.reason.asTerminalLine))", for: request)
    try command("SETPROMPT \(request.secret.prompt):", for: request)
    if let title = request.cancelTitle {
      try? command("SETCANCEL \(Self.escaped(title.asTerminalLine))", for: request)
    }
    if request.failedAttempts > 0 { try command("SETERROR \(request.secret.refusal)", for: request) }
  }

  /// A dialog without a screen needs the terminal's name and kind.
  private var terminalOptions: [(String, String)] {
    let environment = ProcessInfo.processInfo.environment
    let terminal = environment["GPG_TTY"] ?? (0...2).lazy.compactMap(Self.terminalName).first
    return [("ttyname", terminal), ("ttytype", environment["TERM"])].compactMap { name, value in
      value.map { (name, Self.escaped($0.sanitizedForTerminal())) }
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
