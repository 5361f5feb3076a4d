internal import CofferPrompt
internal import CofferSystem

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
      description: request.reason, prompt: request.secret.prompt, cancelTitle: request.cancelTitle,
      error: request.failedAttempts > 0 ? request.secret.refusal : nil)
    return switch dialog.secret(with: programs, isCancelled: { request.isCancelled }) {
    case .answered(let secret): .passphrase(Passphrase(secret))
    case .cancelled: .cancelled
    case .unavailable: .unavailable
    }
  }
}
