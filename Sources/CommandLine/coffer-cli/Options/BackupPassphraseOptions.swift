internal import ArgumentParser
internal import CofferCrypto
internal import CofferTerminal
internal import CofferVault

/// The passphrase of a backup that carries the vault key.
struct BackupPassphraseOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Read the passphrase of the backup from a file instead of asking for it.", valueName: "file"),
    completion: .file())
  var backupPassphraseFile: String?

  private static let maximumByteCount = 1_024
  /// The file of a backup is where others may get it, and can be tried out for years.
  private static let minimumByteCount = 12
  private static let what = "the passphrase of the backup"
  private static let otherwise = "give --backup-passphrase-file"

  /// Reads the passphrase if a file contains it; nil otherwise.
  func readFile() throws(VaultError) -> SecretText? {
    try backupPassphraseFile.map { (path) throws(VaultError) in
      try SecretInput.file(path, limit: Self.maximumByteCount, what: "passphrase")
    }
  }

  /// Reads a passphrase for a new backup, from the file or typed twice. Throws `invalidArgument` for a short one.
  func readNew() throws(VaultError) -> SecretText {
    let passphrase = if let given = try readFile() { given } else { try askNew() }
    guard (Self.minimumByteCount...Self.maximumByteCount).contains(passphrase.count) else {
      throw VaultError(
        .invalidArgument,
        "the passphrase of a backup has \(Self.minimumByteCount) to \(Self.maximumByteCount) bytes: whoever gets the file can try out shorter ones",
        recoverySuggestion: "choose another one, such as five random words; nothing was written")
    }
    return passphrase
  }

  private func askNew() throws(VaultError) -> SecretText {
    let first = try Terminal.askHidden("New passphrase for the backup", for: Self.what, otherwise: Self.otherwise)
    guard try Terminal.askHidden("Once more", for: Self.what, otherwise: Self.otherwise) == first else {
      throw VaultError(
        .invalidArgument, "the two passphrases differ; nothing was written", recoverySuggestion: "try again")
    }
    return first
  }

  /// Passes the passphrase to `body`: that of the file once, or up to three that are asked for while `body` throws
  /// `authenticationFailed`. Throws `locked` if nobody can be asked.
  func read<Result>(_ body: (SecretText) throws(VaultError) -> Result) throws(VaultError) -> Result {
    if let passphrase = try readFile() { return try body(passphrase) }
    return try Terminal.askRepeatedly("Passphrase of the backup", for: Self.what, otherwise: Self.otherwise, body)
  }
}
