internal import ArgumentParser
internal import Coffer
internal import CofferVault
internal import Foundation

/// Whose rights a command uses: an app's, or the owner's.
struct ActorOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Act as this app, with its credential on this machine: a full application identifier, or a bundle identifier.",
      discussion: "Without it the machine's owner acts, who reads and writes every group.", valueName: "app"))
  var app: String?

  @OptionGroup var passphrase: PassphraseOptions

  /// Opens the vault accordingly.
  func open() throws(VaultError) -> Vault {
    let local = try LocalVault.open(VaultFolder(.standard()))
    guard let app else { return try Vault.open(asOwnerOf: local, passphrase: passphrase.source) }
    let application = try local.application(named: app)
    let vault = try Vault.open(application: application, local: local)
    if vault.isLocked { try vault.unlock(from: passphrase.source) }
    return vault
  }
}

/// Where the machine's passphrase comes from.
struct PassphraseOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Read this machine's passphrase from a file.",
      discussion: "COFFER_PASSPHRASE_FILE names one for every command. Otherwise the terminal is asked.",
      valueName: "file"),
    completion: .file())
  var passphraseFile: String?

  /// The file named by the option or the environment.
  var path: String? {
    passphraseFile ?? ProcessInfo.processInfo.environment["COFFER_PASSPHRASE_FILE"].flatMap { $0.isEmpty ? nil : $0 }
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

/// How a new machine protects its admin keys.
struct ProtectionOptions: ParsableArguments {
  @Flag(help: "Keep this machine's admin keys without a passphrase: whoever reads your files may change membership.")
  var noPassphrase = false

  @OptionGroup var passphrase: PassphraseOptions

  func validate() throws {
    if noPassphrase && passphrase.passphraseFile != nil {
      throw ValidationError("--no-passphrase and --passphrase-file exclude each other")
    }
  }

  /// Takes the new passphrase, typed twice where the terminal is asked.
  func protection() throws(VaultError) -> AdminProtection {
    if noPassphrase { return .none }
    if let path = passphrase.path {
      return .passphrase(try SecretInput.file(path, limit: 1024, what: "passphrase"))
    }
    let mend = "give --passphrase-file, set COFFER_PASSPHRASE_FILE, or choose --no-passphrase"
    let first = try Terminal.askHidden("New passphrase for this machine", for: "a passphrase", otherwise: mend)
    guard !first.isEmpty else {
      throw VaultError(.invalidArgument, "the passphrase is empty", mend: "choose --no-passphrase if you want none")
    }
    guard try Terminal.askHidden("Once more", for: "a passphrase", otherwise: mend) == first else {
      throw VaultError(.invalidArgument, "the two passphrases differ; nothing was changed", mend: "try again")
    }
    return .passphrase(first)
  }
}

/// The name of a new machine.
struct MachineNameOptions: ParsableArguments {
  @Option(help: ArgumentHelp("What to call this machine in lists. Default: its host name.", valueName: "name"))
  var name: String?

  var chosen: String {
    if let name { return name }
    let host = ProcessInfo.processInfo.hostName
    return host.isEmpty ? "machine" : String(host.prefix(64))
  }
}

/// One access group.
struct GroupOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The access group, by its full name or without the team's prefix.",
      discussion: "With --app, writes go to the app's default group without it; searches look into all groups.",
      valueName: "group"))
  var group: String?
}
