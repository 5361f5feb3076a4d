internal import Coffer
internal import CofferCrypto
internal import CofferPrompt
internal import CofferSystem
internal import Foundation
internal import Synchronization

/// A prompter that uses the controlling terminal, without echoing the input.
public struct TerminalPrompter: AuthenticationPrompter {
  private let path: String

  /// Creates a prompter for `/dev/tty`, even if standard input and output are redirected.
  public init() { self.init(path: "/dev/tty") }

  package init(path: String) { self.path = path }

  /// A lock for each terminal: concurrent prompts would save and restore each other's terminal settings.
  private static let locks = Mutex<[String: NSLock]>([:])

  /// Prompts and waits for the answer; `unavailable` if there is no terminal or the process is in the background.
  public func ask(_ request: AuthenticationRequest) -> AuthenticationAnswer {
    let lock = Self.locks.withLock { locks in
      let lock = locks[path] ?? NSLock()
      locks[path] = lock
      return lock
    }
    let interval = Double(AuthenticationRequest.pollMilliseconds) / 1000
    while !lock.lock(before: Date(timeIntervalSinceNow: interval)) {
      if request.isCancelled { return .cancelled }
    }
    defer { lock.unlock() }
    return askExclusively(request)
  }

  private func askExclusively(_ request: AuthenticationRequest) -> AuthenticationAnswer {
    let descriptor = unsafe open(path, O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { return .unavailable }
    defer { close(descriptor) }
    // A background process that changes the terminal's settings would be stopped by SIGTTOU.
    let foreground = tcgetpgrp(descriptor)
    guard foreground < 0 || foreground == getpgrp() else { return .unavailable }
    var saved = termios()
    guard unsafe tcgetattr(descriptor, &saved) == 0 else { return .unavailable }
    var quiet = saved
    // Without ISIG, Ctrl-C arrives as a character: a signal could end the process before the echo is restored.
    quiet.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
    guard unsafe tcsetattr(descriptor, TCSAFLUSH, &quiet) == 0 else { return .unavailable }
    defer {
      unsafe tcsetattr(descriptor, TCSAFLUSH, &saved)
      write("\n", to: descriptor)
    }
    if request.failedAttempts > 0 { write("\(request.secret.refusal)\n", to: descriptor) }
    write(
      "\(request.reason.sanitizedForTerminal(limit: .max, foldsWhiteSpace: true))\n\(request.secret.prompt): ",
      to: descriptor)
    return readLine(from: descriptor, for: request)
  }

  private func readLine(from descriptor: Int32, for request: AuthenticationRequest) -> AuthenticationAnswer {
    do throws(Cancelled) {
      return .passphrase(
        Passphrase(
          try SecretText(capacity: Passphrase.maximumByteCount) { (line) throws(Cancelled) in
            try readLine(into: &line, from: descriptor, for: request)
          }))
    } catch {
      return .cancelled
    }
  }

  private struct Cancelled: Error {}

  private func readLine(
    into line: inout SecretBuffer, from descriptor: Int32, for request: AuthenticationRequest
  ) throws(Cancelled) {
    while true {
      guard let key = nextKey(from: descriptor, for: request) else { throw Cancelled() }
      switch key {
      case 10, 13: return
      case 3, 4: throw Cancelled()
      case 8, 127: line.removeLastCharacter()
      case 21: line.removeAll()
      default: line.append(key)
      }
    }
  }

  /// Waits for the next key; nil at the end of the input or when the request is cancelled.
  private func nextKey(from descriptor: Int32, for request: AuthenticationRequest) -> UInt8? {
    while !request.isCancelled {
      var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard unsafe poll(&event, 1, AuthenticationRequest.pollMilliseconds) > 0 else { continue }
      var key: UInt8 = 0
      let count = unsafe read(descriptor, &key, 1)
      if count < 0 && errno == EINTR { continue }
      return count == 1 ? key : nil
    }
    return nil
  }

  private func write(_ text: String, to descriptor: Int32) {
    let bytes = Array(text.utf8)
    _ = unsafe Foundation.write(descriptor, bytes, bytes.count)
  }
}

/// A prompter that uses `pinentry`, GnuPG's dialog program: a window on a desktop, or the terminal.
///
/// The program is started for each prompt and communicates over a socket. The passphrase never appears on a command
/// line, in the environment or in a log.
public struct PinentryPrompter: AuthenticationPrompter {
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
  package init(environment: [String: String]) { programs = PinentryDialog.programs(in: environment) }

  /// Creates a prompter that uses one program.
  ///
  /// - Parameter program: The dialog program: a path, or a name to find in `PATH`. In a process that runs with elevated
  ///   privileges, such as a setuid program, a name is looked up in `/usr/bin` only.
  public init(program: String) { programs = [PinentryDialog.trusted(program)] }

  /// Shows the dialog and waits for the answer; `unavailable` if every program is missing or cannot show its dialog.
  public func ask(_ request: AuthenticationRequest) -> AuthenticationAnswer {
    let dialog = PinentryDialog(
      lines: [request.reason], prompt: request.secret.prompt, cancelTitle: request.cancelTitle,
      error: request.failedAttempts > 0 ? request.secret.refusal : nil)
    return switch dialog.secret(with: programs, isCancelled: { request.isCancelled }) {
    case .answered(let secret): .passphrase(Passphrase(secret))
    case .cancelled: .cancelled
    case .unavailable: .unavailable
    }
  }
}

/// A prompter that gives the prepared answers of a test.
struct PreparedPrompter: AuthenticationPrompter {
  let prompts: ScriptedPrompts
  /// Returns whether a password opens the item that is prompted for; nil if there is no item.
  let accepts: (@Sendable (Passphrase) -> Bool)?

  func ask(_ request: AuthenticationRequest) -> AuthenticationAnswer {
    let isContinued = request.failedAttempts > 0 || request.secret == .repeatedApplicationPassword
    switch prompts.outcome(isContinued: isContinued) {
    case .approve: return secret(request.secret).map { .passphrase(Passphrase($0)) } ?? .unavailable
    case .cancel: return .cancelled
    // Random, so that it is wrong as a passphrase, and different when it is repeated.
    case .fail: return .passphrase(Passphrase(SecretText(copying: Random.bytes(count: 32))))
    }
  }

  private func secret(_ kind: AuthenticationRequest.Secret) -> SecretText? {
    switch kind {
    case .passphrase: return prompts.passphrase
    case .newApplicationPassword, .repeatedApplicationPassword: return prompts.newPassword
    case .applicationPassword:
      let possible = prompts.possiblePasswords
      return possible.first { accepts?(Passphrase($0)) ?? true } ?? possible.first
    }
  }
}
