#if !Programs
  #error("the programs use packages that apps do not need: build them with --traits Programs")
#endif
package import ArgumentParser
package import Coffer
internal import CofferSystem
package import CofferVault

/// The source of the machine's passphrase.
package struct PassphraseOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Read this machine's passphrase from a file.",
      discussion: "COFFER_PASSPHRASE_FILE names a file for all commands. Default: a prompt on the terminal.",
      valueName: "file"),
    completion: .file())
  package var passphraseFile: String?

  package init() {}

  /// The file that the option or the environment names, or nil.
  package var path: String? {
    passphraseFile ?? CurrentProcess.variable("COFFER_PASSPHRASE_FILE").flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Returns the source of this machine's passphrase, whose prompt names the machine. At a prompt, a wrong one can be
  /// corrected twice. The note, which is read when somebody is asked, says what the passphrase is needed for. The
  /// alternative is what to do instead of giving it, if nobody can be asked; nil if nothing else helps.
  package func source(
    of local: LocalVault, note: @autoclosure @escaping @Sendable () -> String? = nil, alternative: String? = nil
  ) -> PassphraseSource {
    let path = path
    return PassphraseSource(attempts: path == nil ? 3 : 1) { (previous) throws(VaultError) in
      if let path { return try SecretInput.file(path, limit: 1024, what: "passphrase") }
      if let previous { Terminal.printError(previous.description) }
      let ways = alternative.map { ", set COFFER_PASSPHRASE_FILE, or \($0)" } ?? " or set COFFER_PASSPHRASE_FILE"
      return try Terminal.askHidden(
        "Passphrase of \(local.machineName)\(note().map { " (\($0))" } ?? "")", for: "this machine's passphrase",
        otherwise: "give --passphrase-file\(ways)")
    }
  }
}
