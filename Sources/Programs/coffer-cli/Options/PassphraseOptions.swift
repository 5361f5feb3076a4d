internal import ArgumentParser
internal import Coffer
internal import CofferSystem
internal import CofferVault

/// The source of the machine's passphrase.
struct PassphraseOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Read this machine's passphrase from a file.",
      discussion: "COFFER_PASSPHRASE_FILE names a file for all commands. Default: a prompt on the terminal.",
      valueName: "file"),
    completion: .file())
  var passphraseFile: String?

  /// The file that the option or the environment names, or nil.
  var path: String? {
    passphraseFile ?? CurrentProcess.environment["COFFER_PASSPHRASE_FILE"].flatMap { $0.isEmpty ? nil : $0 }
  }

  var source: PassphraseSource {
    let path = path
    return PassphraseSource { () throws(VaultError) in
      if let path { return try SecretInput.file(path, limit: 1024, what: "passphrase") }
      return try Terminal.askHidden(
        "Passphrase of this machine", for: "this machine's passphrase",
        otherwise: "give --passphrase-file, set COFFER_PASSPHRASE_FILE, or use --app")
    }
  }
}
