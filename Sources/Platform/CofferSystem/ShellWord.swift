extension String {
  /// The text in quotes for any shell, also for the one that sshd starts: in single quotes, with "'" and, for csh, "!"
  /// outside of them. By scalars: a quote that is followed by a combining mark is another `Character`, and the same byte
  /// for the shell.
  package var quotedForShell: String {
    "'" + unicodeScalars.map { $0 == "'" || $0 == "!" ? "'\\\($0)'" : String($0) }.joined() + "'"
  }

  /// The text as a word of a command that people copy to a shell: in quotes if it needs them. It cannot control the
  /// terminal; a text that could is shown with escapes.
  package var shellWord: String {
    let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:@%+=,".unicodeScalars)
    let text = sanitizedForTerminal(limit: .max)
    return !text.isEmpty && text.unicodeScalars.allSatisfy(plain.contains) ? text : text.quotedForShell
  }

  /// The text as a word of a command that a program runs: in quotes if it needs them, and always the same text.
  package var exactShellWord: String { shellWord == self ? self : quotedForShell }

  /// The first word of a command whose words ``shellWord`` has quoted; nil if there is none, or if it has a quote in it.
  package var firstShellWord: String? {
    guard hasPrefix("'") else { return split(separator: " ").first.map(String.init) }
    let rest = dropFirst()
    guard let end = rest.firstIndex(of: "'") else { return nil }
    let next = rest.index(after: end)
    return next == rest.endIndex || rest[next] == " " ? String(rest[..<end]) : nil
  }
}
