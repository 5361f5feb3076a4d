internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferCrypto
internal import CofferFormat
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

/// The vault key, for what only its holder may do.
struct VaultKeyOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Read the vault key from a file instead of asking for it.", valueName: "file"),
    completion: .file())
  var vaultKeyFile: String?

  /// Why the key is needed to make a machine an admin.
  static let reasonForAdmin =
    "Only the vault key makes an admin, so that whoever steals one admin's machine cannot make itself others."

  /// Reads the key if a file contains it; nil otherwise.
  func readFile() throws(VaultError) -> VaultKey? { try vaultKeyFile.map(VaultKeyFile.read) }

  /// Returns the key from the file, which may be wrong, or asks for it until it opens the vault. The reason why it is
  /// needed is a sentence. Throws `locked` if nobody can be asked.
  func key(of local: LocalVault, because reason: String) throws(VaultError) -> VaultKey {
    if let key = try readFile() { return key }
    try VaultKeyFile.checkCanAsk()
    Terminal.printNote(reason)
    return try VaultKeyFile.ask { (key) throws(VaultError) in
      _ = try VaultKeyCheck.begin(in: local).root(openedBy: key)
      return key
    }
  }
}

/// Files that hold a vault key.
enum VaultKeyFile {
  private static let what = "the vault key"

  /// Writes a key to a new file with mode 0600, and syncs the file and its name in the folder to the disk.
  static func write(_ key: VaultKey, to path: String) throws(VaultError) {
    let file = try NewSecretFile.create(path, what: what)
    do throws(VaultError) {
      try file.write(SecretText(line: key.text))
      FaultPoint.reached(.vaultKeyWritten)
    } catch {
      file.remove()
      throw error
    }
  }

  /// Throws the error that ``write(_:to:)`` would throw because the file exists, or its folder does not or cannot be
  /// written.
  static func checkCreatable(_ path: String) throws(VaultError) {
    guard isAbsent(path) else { throw NewSecretFile.existing(path, what: what) }
    guard unsafe faccessat(AT_FDCWD, path.parentFolder, W_OK | X_OK, AT_EACCESS) == 0 else {
      throw systemFailure("write \(what) to \(path)")
    }
  }

  /// Deletes a file that ``write(_:to:)`` created.
  static func remove(_ path: String) { unsafe unlink(path) }

  /// Reads a key from a file.
  static func read(_ path: String) throws(VaultError) -> VaultKey {
    try VaultKey.typed(SecretInput.file(path, limit: 256, what: "vault key"))
  }

  /// Asks for a key on the terminal, and passes it to `body`. Asks again, three times in all, if it is mistyped or
  /// `body` throws `authenticationFailed` because it is wrong. Throws `locked` if no terminal exists.
  static func ask<Result>(_ body: (VaultKey) throws(VaultError) -> Result) throws(VaultError) -> Result {
    try Terminal.askRepeatedly("Vault key", for: what, otherwise: terminalAlternative) { (text) throws(VaultError) in
      try body(VaultKey.typed(text))
    }
  }

  /// Throws the error that ``ask(_:)`` would throw because no terminal exists.
  static func checkCanAsk() throws(VaultError) {
    try Terminal.checkCanAsk(for: what, otherwise: terminalAlternative)
  }

  private static let terminalAlternative = "give --vault-key-file"
}

extension Terminal {
  /// Asks for a secret that `body` reads: three times in all if it throws `authenticationFailed`, because the secret is
  /// mistyped or wrong. Throws `locked` if no terminal exists.
  static func askRepeatedly<Result>(
    _ prompt: String, for what: String, otherwise recoverySuggestion: String,
    _ body: (SecretText) throws(VaultError) -> Result
  ) throws(VaultError) -> Result {
    var remaining = 3
    while true {
      let text = try askHidden(prompt, for: what, otherwise: recoverySuggestion)
      do throws(VaultError) {
        return try body(text)
      } catch {
        remaining -= 1
        guard error.code == .authenticationFailed, remaining > 0 else { throw error }
        printError(error.description)
      }
    }
  }
}

extension SecretText {
  /// Creates a line of a secret, with the newline.
  convenience init(line text: SecretText) {
    self.init(capacity: text.count + 1) { buffer in
      buffer.append(text)
      buffer.append(UInt8(ascii: "\n"))
    }
  }
}
