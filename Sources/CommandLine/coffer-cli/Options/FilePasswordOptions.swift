internal import ArgumentParser
internal import CofferCrypto
internal import CofferOpenSSL
internal import CofferTerminal
internal import CofferVault

/// The password of a PKCS #12 file.
struct FilePasswordOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Read the password of the PKCS #12 file from this file.", discussion: "Default: a prompt on the terminal.",
      valueName: "file"),
    completion: .file())
  var passwordFile: String?

  /// Reads the password of an existing file.
  func read() throws(VaultError) -> SecretText {
    if let given = try given() { return given }
    return try ask("Password of the file")
  }

  /// Reads the password of a new file, typed twice at a prompt. Throws `invalidArgument` for an empty one.
  func readNew() throws(VaultError) -> SecretText {
    if let given = try given() { return given }
    let first = try ask("New password for the file")
    guard !first.isEmpty else {
      throw VaultError(.invalidArgument, "the password is empty", recoverySuggestion: "choose a password")
    }
    guard try ask("Once more") == first else {
      throw VaultError(.invalidArgument, "the two passwords differ", recoverySuggestion: "try again")
    }
    return first
  }

  private func given() throws(VaultError) -> SecretText? {
    guard let passwordFile else { return nil }
    return try SecretInput.file(passwordFile, limit: PKCS12File.maximumPassphraseByteCount, what: "password")
  }

  private func ask(_ prompt: String) throws(VaultError) -> SecretText {
    try Terminal.askHidden(prompt, for: "the password of the file", otherwise: "give --password-file FILE")
  }
}
