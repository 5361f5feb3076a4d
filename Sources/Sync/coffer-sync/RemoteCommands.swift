internal import ArgumentParser
internal import CofferExchange
internal import CofferGit
internal import CofferPlatform
internal import CofferSystem
internal import CofferVault
internal import Logging

struct RemoteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remote", abstract: "Choose the remote.",
    subcommands: [RemoteSetCommand.self, RemoteRemoveCommand.self, RemoteFindCommand.self])
}

struct RemoteSetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "set", abstract: "Set the remote.")
  @OptionGroup var options: VaultOptions
  @OptionGroup var remote: RemoteAccessOptions
  @Flag(help: "Use the repository although it contains something else than this vault, or its check has failed.")
  var force = false
  @Argument(help: "The repository's URL or path.")
  var url: String

  func run() throws {
    let interruption = Interruption.observe()
    let outcome = try RemoteSetting(
      LocalVault.open(options.folder), access: remote.access, cancellation: interruption.cancellation
    ).set(url, isForced: force)
    try StandardOutput.line("The remote is \(outcome.url). Next: coffer sync")
    guard let doubt = outcome.doubt else { return }
    Program.printNote("\(outcome.isAnswered ? "The remote has a fault" : "The remote was not checked"): \(doubt)")
  }
}

struct RemoteRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "remove", abstract: "Forget the remote.")
  @OptionGroup var options: VaultOptions

  func run() throws {
    let url = try LocalVault.open(options.folder).removeRemote()
    print("This vault has no remote any more, and stays on this machine. \(url) keeps what was sent to it.")
  }
}

/// Finds the repository of a place, for `coffer pair` and `coffer join`, and prints its URL. A second line is a note.
struct RemoteFindCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "find", abstract: "Find the repository on a host or in a folder.", shouldDisplay: false)
  @Flag(help: "Create the repository if it does not exist.")
  var create = false
  @Argument(help: "The host, the folder, or the repository's URL or path.")
  var place: String

  func run() throws {
    do throws(GitError) {
      let found = try RepositoryPlace.find(place, isCreating: create)
      print(found.url.description)
      if let note = found.note { print(note) }
    } catch {
      throw VaultError(error)
    }
  }
}

struct DownloadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "download", abstract: "Download a vault's sealed objects for `coffer clone`.", shouldDisplay: false)
  @OptionGroup var remote: RemoteAccessOptions
  @Option(help: "The folder to write them to.")
  var into: String
  @Argument(help: "The repository's URL or path.")
  var url: String

  func run() throws {
    let meter = ProgressMeter()
    defer { meter.finish() }
    let interruption = Interruption.observe()
    let problems = try VaultDownload(
      access: remote.access, cancellation: interruption.cancellation, progress: meter.show
    ).run(from: url, into: VaultFolder(URL(fileURLWithPath: into, isDirectory: true)))
    meter.finish()
    // The vault may continue on one of them, or it has the entry that removes a machine.
    for problem in problems { Program.printError(problem.sanitizedForTerminal(limit: 500)) }
  }
}

struct DownloadContentsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "download-contents", abstract: "Write the objects of a download that `coffer clone` asks for.",
    shouldDisplay: false)
  @Option(help: "The folder of the download.")
  var into: String

  func run() throws { try VaultDownload.writeWanted(in: VaultFolder(URL(fileURLWithPath: into, isDirectory: true))) }
}

/// Reads a vault for a program with a headless credential. That program gives the machine's keys on standard input, and
/// keeps those of its apps.
struct ReadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "read", abstract: "Read a repository for a program with a headless credential.", shouldDisplay: false)
  @OptionGroup var remote: RemoteAccessOptions
  @Option(help: "A vault's folder with a cache that is used and kept.")
  var cache: String?
  @Argument(help: "The repository's URL or path.")
  var repository: String

  private static let maximumKeyByteCount = 1 << 20

  func run() throws {
    let interruption = Interruption.observe()
    do throws(VaultError) {
      var keys = [UInt8](repeating: 0, count: Self.maximumKeyByteCount)
      let count = unsafe keys.withUnsafeMutableBytes {
        unsafe Descriptor(owning: dup(STDIN_FILENO)).readToEnd(into: $0)
      }
      keys.removeLast(keys.count - count)
      let outcome = try RepositoryImport(
        access: remote.access, cache: cache.map { VaultFolder(URL(fileURLWithPath: $0, isDirectory: true)) },
        cancellation: interruption.cancellation, logger: Logger(label: "coffer-sync") { _ in SwiftLogNoOpLogHandler() }
      ).run(from: repository, wiping: &keys)
      try StandardOutput.write(translatingErrors { try RepositoryReading(problems: outcome.problems).line() })
      try StandardOutput.write(Data(outcome.image))
    } catch {
      try StandardOutput.write(RepositoryReading(error: error).line())
      throw ExitCode(error.exitCode)
    }
  }
}
