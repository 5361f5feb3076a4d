internal import CPlatform

/// The window of a terminal, as far as a program can know it.
package struct TerminalWindow: Hashable, Sendable {
  /// The number of columns. 0 if the terminal does not say it.
  package let columns: Int
  /// Whether the terminal shows characters of UTF-8 and takes escape sequences, by the variables of the environment.
  package let showsUnicode: Bool

  /// Looks at the terminal behind a descriptor; nil if it is none. The locale is the first variable that is set of
  /// `LC_ALL`, `LC_CTYPE` and `LANG`.
  package static func find(
    on descriptor: Int32, environment: [String: String] = CurrentProcess.environment
  ) -> TerminalWindow? {
    let columns = coffer_terminal_columns(descriptor)
    guard columns >= 0 else { return nil }
    return TerminalWindow(columns: Int(columns), showsUnicode: showsUnicode(environment))
  }

  private static func showsUnicode(_ environment: [String: String]) -> Bool {
    guard let terminal = environment["TERM"], !terminal.isEmpty, terminal != "dumb" else { return false }
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
    // The name ends with the encoding, which systems write in different ways: en_GB.UTF-8, C.utf8, UTF-8.
    let letters = locale.lowercased().filter { $0 != "-" }
    return letters == "utf8" || letters.contains(".utf8")
  }
}
