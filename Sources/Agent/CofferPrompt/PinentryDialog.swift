package import CofferCrypto
internal import CofferPlatform
internal import CofferSystem

/// A dialog of `pinentry`, GnuPG's program for passphrases and questions: a window on a desktop, or the terminal.
package struct PinentryDialog: Sendable {
  /// How a dialog ended.
  package enum Outcome<Answer: Sendable>: Sendable {
    case answered(Answer)
    /// The user or the program has cancelled.
    case cancelled
    /// No program could show the dialog.
    case unavailable
  }

  /// The text above the input or the buttons. White space within a line is folded, so that no name begins another one.
  package let lines: [String]
  /// The label in front of the input.
  package var prompt: String?
  /// The label of the button that confirms.
  package var confirmTitle: String?
  package var cancelTitle: String?
  /// The message about an answer that was not accepted.
  package var error: String?
  /// The variables of the program; nil for those of this process.
  package var environment: [String: String]?
  /// Whether other programs of the user are kept from the process of the dialog.
  package var isUnreadable = false
  /// Whether the dialog may be in the terminal of this process if there is no desktop.
  package var usesTerminal = true

  package init(
    lines: [String], prompt: String? = nil, confirmTitle: String? = nil, cancelTitle: String? = nil,
    error: String? = nil
  ) {
    self.lines = lines
    self.prompt = prompt
    self.confirmTitle = confirmTitle
    self.cancelTitle = cancelTitle
    self.error = error
  }

  /// Asks for a secret with the first of some programs that can show the dialog.
  package func secret(
    with programs: [String], isCancelled: @escaping @Sendable () -> Bool = { false }
  ) -> Outcome<SecretText> {
    ask(programs, isCancelled) { (dialog) throws(AssuanConnection.Failure) in try dialog.secret() }
  }

  /// Asks whether something is allowed, with the first of some programs that can show the dialog.
  ///
  /// A dialog can appear while a person types into another window, so no key that is pressed by accident allows it. If
  /// the buttons of a program do not ensure that, a word has to be typed.
  package func confirmation(
    with programs: [String], isCancelled: @escaping @Sendable () -> Bool = { false }
  ) -> Outcome<Void> {
    ask(programs, isCancelled) { (dialog) throws(AssuanConnection.Failure) in
      guard !Self.refusingFlavors.contains(dialog.flavor ?? "") else { return try dialog.command("CONFIRM") }
      let action = confirmTitle?.lowercased() ?? "allow it"
      let instruction = "To \(action), type \(Self.allowingWord); otherwise press Enter."
      try dialog.command("SETDESC \(Self.description([instruction] + lines, in: dialog))")
      try dialog.command("SETPROMPT Answer:")
      try? dialog.command("SETOK OK")
      guard try dialog.secret() == SecretText(copying: Self.allowingWord.utf8) else { throw .cancelled }
    }
  }

  /// The programs in whose questions Enter, Space and Escape press the button that cancels, as they name themselves. In
  /// those of pinentry-gnome3, Enter and Space press the other one, and in those of pinentry-fltk, Escape does.
  private static let refusingFlavors = ["gtk2", "qt"]
  private static let allowingWord = "yes"

  private func ask<Answer>(
    _ programs: [String], _ isCancelled: @escaping @Sendable () -> Bool,
    _ read: (AssuanConnection) throws(AssuanConnection.Failure) -> Answer
  ) -> Outcome<Answer> {
    let terminal = usesTerminal ? AssuanConnection.terminal : nil
    for program in programs {
      guard
        let dialog = AssuanConnection.start(
          program, environment: environment, isUnreadable: isUnreadable, isCancelled: isCancelled)
      else { continue }
      do throws(AssuanConnection.Failure) {
        try dialog.expectOK()
        // Without a terminal, pinentry-tty would report that the user has cancelled.
        if terminal == nil, dialog.needsTerminal { continue }
        try setUp(dialog, terminal)
        return .answered(try read(dialog))
      } catch {
        if error == .cancelled || isCancelled() { return .cancelled }
      }
    }
    return .unavailable
  }

  /// Sends the terminal's name and the texts to show. Errors for options are ignored: not every dialog supports all.
  private func setUp(_ dialog: AssuanConnection, _ terminal: String?) throws(AssuanConnection.Failure) {
    for (name, value) in Self.options(for: terminal) { try? dialog.command("OPTION \(name)=\(value)") }
    try dialog.command("SETTITLE Coffer")
    try dialog.command("SETDESC \(Self.description(lines, in: dialog))")
    if let prompt { try dialog.command("SETPROMPT \(prompt):") }
    if let confirmTitle { try? dialog.command("SETOK \(AssuanLine.escaped(Self.line(confirmTitle)))") }
    if let cancelTitle { try? dialog.command("SETCANCEL \(AssuanLine.escaped(Self.line(cancelTitle)))") }
    if let error { try dialog.command("SETERROR \(error)") }
  }

  private static func description(_ lines: [String], in dialog: AssuanConnection) -> String {
    let text = lines.map(line).joined(separator: "\n")
    guard dialog.flavor == "fltk" else { return AssuanLine.escaped(text) }
    // FLTK takes an @ for the beginning of a symbol's name, and shows nothing of the text from there on. Two are one.
    return AssuanLine.escaped(text.unicodeScalars.map { $0 == "@" ? "@@" : String($0) }.joined())
  }

  private static func line(_ text: String) -> String { text.sanitizedForTerminal(limit: 1_000, foldsWhiteSpace: true) }

  /// The terminal's name and type, which the dialog needs if there is no desktop.
  private static func options(for terminal: String?) -> [(String, String)] {
    [("ttyname", terminal), ("ttytype", CurrentProcess.variable("TERM"))].compactMap { name, value in
      // Values for a program, not for people: one that could break the protocol is left out instead of escaped.
      value.flatMap { value in
        value.unicodeScalars.contains { $0.properties.generalCategory == .control }
          ? nil : (name, AssuanLine.escaped(value))
      }
    }
  }
}

extension PinentryDialog {
  /// The programs with windows that GnuPG's distributions have, in the order in which they are tried.
  private static let graphicalPrograms = [
    "pinentry-gnome3", "pinentry-qt", "pinentry-qt6", "pinentry-qt5", "pinentry-gtk-2", "pinentry-gtk", "pinentry-efl",
    "pinentry-fltk", "pinentry-x11",
  ]

  /// Whether an environment describes a desktop.
  package static func isDesktop(_ environment: [String: String] = CurrentProcess.environment) -> Bool {
    ["DISPLAY", "WAYLAND_DISPLAY"].contains { environment[$0]?.isEmpty == false }
  }

  /// The programs to try on the desktop or terminal that an environment describes.
  package static func programs(in environment: [String: String] = CurrentProcess.environment) -> [String] {
    (["pinentry"] + (isDesktop(environment) ? graphicalPrograms : [])).map(trusted)
  }

  /// Where the system's packages install these programs, for a desktop.
  package static var systemPaths: [String] { (["pinentry"] + graphicalPrograms).map(systemPath) }

  private static func systemPath(of program: String) -> String { "/usr/bin/\(program)" }

  /// Returns the path of a program. In a process with elevated privileges, a name is looked up in `/usr/bin` only.
  package static func trusted(_ program: String) -> String {
    let isTrusted = program.contains("/") || !CurrentProcess.hasElevatedPrivileges
    return isTrusted ? program : systemPath(of: program)
  }
}

extension AssuanConnection {
  /// The terminal in which the dialog may be shown: the one that `GPG_TTY` names, or else that of a standard stream.
  /// Nil if neither is a terminal.
  fileprivate static var terminal: String? {
    if let name = CurrentProcess.variable("GPG_TTY"), isTerminal(name) { return name }
    return (0...2).lazy.compactMap(terminalName).first
  }

  /// What kind of dialog the program shows (`GETINFO flavor`); nil if it does not say.
  fileprivate var flavor: String? {
    guard let answer = try? information("flavor") else { return nil }
    return unsafe answer.withBytes { unsafe String(decoding: $0, as: UTF8.self) }
  }

  /// Whether the dialog is in a terminal: its flavor is `tty`, `curses`, or for example `gtk2:curses` for a dialog with
  /// a window that has no display. False if the program does not say.
  fileprivate var needsTerminal: Bool {
    guard let flavor else { return false }
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
