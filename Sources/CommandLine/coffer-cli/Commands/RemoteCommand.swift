internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

struct RemoteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remote", abstract: "Choose the git repository through which the vault syncs between machines.",
    subcommands: [
      RemoteSetCommand.self, RemoteShowCommand.self, RemoteRemoveCommand.self,
    ])
}

struct RemoteSetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Set the remote. `coffer sync` then uploads the vault.",
    discussion:
      """
      An https URL, an ssh URL (ssh://host/path or host:path), git://host/path, or a path. A relative path is stored as an \
      absolute one. Of a repository at a path, git runs the hooks as you: use only a folder whose writers you trust. \
      A password in an https URL is given to git's credential helper and is not stored here. --ca-file and \
      --insecure-http are stored for later syncs. The repository must be empty or contain this vault: one with foreign branches or \
      tags is refused, and another vault by the next sync. So is a remote that answers and cannot be used, for example \
      because of its certificate, the password, or a wrong path. If nothing answers, it is set with a note.
      """)
  @Flag(
    help: ArgumentHelp(
      "Use the repository although it contains something else than this vault, or its check has failed.",
      discussion: "The vault has branches of its own, vault-…. Anybody with push access to the others can remove it."))
  var force = false
  @OptionGroup var remote: RemoteAccessOptions
  @Argument(help: "The repository's URL or path.")
  var url: String

  func run() throws {
    try LocalVault.open(VaultFolder(.standard())).printKeptKeyNote()
    try Output.line(remote.set(url, isForced: force))
  }
}

struct RemoteShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "show", abstract: "Print the remote.")
  @OptionGroup var output: ReportOptions

  func run() throws {
    let local = try LocalVault.openForReading(warn: Terminal.printError)
    let remote = try local.requiredRemote(or: .itemNotFound)
    let options = try local.remoteOptions()
    guard !output.json else {
      return try Output.json(object: [
        "url": remote, "certificateAuthorityFile": options.certificateAuthorityFile,
        "allowsInsecureHTTP": options.allowsInsecureHTTP,
      ])
    }
    try Output.line(Output.cell(remote))
    if let file = options.certificateAuthorityFile {
      try Output.line("Certificate authorities: \(Output.cell(file)), instead of those of the system")
    }
    if options.allowsInsecureHTTP { try Output.line("Without encryption: allowed (--insecure-http)") }
  }
}

struct RemoteRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Forget the remote: this machine does not sync any more.",
    discussion: """
      The vault on this machine, the repository and the other machines stay as they are. This machine stays a machine of the \
      vault: to remove it, run `coffer device revoke` on another one. `coffer remote set` sets the same remote or another \
      one later, and the next sync sends what it lacks.
      """,
    aliases: ["rm"])

  func run() throws {
    _ = try VaultFolder(.standard()).openStore()
    try SiblingProgram.replaceProcess(by: SyncProgram.name, arguments: ["remote", "remove"])
  }
}

/// How to reach the remote: `coffer-sync` reads the same options.
struct RemoteAccessOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Trust the certificate authorities in this file, in PEM form, instead of those of the system, for https://.",
      valueName: "file"), completion: .file())
  var caFile: String?
  @Flag(help: "Allow http:// to another machine: everybody on the way sees who syncs when, and can disturb it.")
  var insecureHttp = false
  @Option(
    help: ArgumentHelp(
      "The time for connecting, for which the remote may be silent, and for which to wait for another sync. Default: 30, 60 and 120.",
      valueName: "seconds"))
  var timeout: Int?

  /// The options of a command line without any, for a command that ArgumentParser has not read.
  static var defaults: RemoteAccessOptions {
    var options = RemoteAccessOptions()
    options.caFile = nil
    options.insecureHttp = false
    options.timeout = nil
    return options
  }

  func validate() throws {
    if let timeout, !(1...86_400).contains(timeout) {
      throw ValidationError("--timeout must be a number of seconds from 1 to 86400")
    }
  }

  /// The arguments for `coffer-sync`.
  var arguments: [String] {
    (caFile.map { ["--ca-file=\($0)"] } ?? []) + (insecureHttp ? ["--insecure-http"] : [])
      + (timeout.map { ["--timeout=\($0)"] } ?? [])
  }

  /// The arguments for a `coffer-sync` that finds the other options in the store.
  var timeoutArguments: [String] { timeout.map { ["--timeout=\($0)"] } ?? [] }

  /// Returns these options, and those of a former store for the ones that are not given.
  func over(_ former: RemoteOptions) -> RemoteAccessOptions {
    var options = self
    options.caFile = caFile ?? former.certificateAuthorityFile
    options.insecureHttp = insecureHttp || former.allowsInsecureHTTP
    return options
  }

  /// Sets the remote of the vault, and returns what the program says. A password in the URL is not an argument of it.
  func set(_ url: String, isForced: Bool = false) throws -> String {
    let password = URLPassword(url)
    let output = try SyncProgram.run(
      ["remote", "set"] + (isForced ? ["--force"] : []) + arguments
        + (password == nil ? [] : ["--credential-on-input"]) + ["--", password?.url ?? url],
      input: password?.credential)
    return String(decoding: output, as: UTF8.self).split(separator: "\n").joined(separator: "\n")
  }

  /// Downloads the sealed objects of a vault. A password in the URL is not an argument of the program, and later
  /// transfers get it from git's credential helper.
  func download(_ url: String, into folder: VaultFolder) throws {
    let password = URLPassword(url)
    try SyncProgram.run(
      ["download", "--into", folder.path] + arguments + (password == nil ? [] : ["--credential-on-input"]) + [
        "--", password?.url ?? url,
      ],
      input: password?.credential)
  }
}
