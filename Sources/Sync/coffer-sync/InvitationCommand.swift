internal import ArgumentParser
internal import CofferExchange
internal import CofferGit
internal import CofferPlatform
internal import CofferVault

/// The exchange of a new machine that was invited, for `coffer clone --invite`.
struct InvitationCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "invitation", abstract: "Exchange request and answer of an invitation.", shouldDisplay: false,
    subcommands: [InvitationJoinCommand.self, InvitationLeaveCommand.self])
}

/// Which request a command is about. Nothing of it is secret: the host sees it.
struct InvitationOptions: ParsableArguments {
  @Option(help: "The folder with the cache.")
  var into: String
  @Option(help: "The invitation's identifier, in hexadecimal.")
  var invitation: String
  @Option(help: "The request's label, in hexadecimal.")
  var label: String
  @OptionGroup var remote: RemoteAccessOptions
  @Argument(help: "The repository's URL or path.")
  var url: String

  var folder: VaultFolder { VaultFolder(URL(fileURLWithPath: into, isDirectory: true)) }

  func exchange(_ cancellation: Cancellation) throws(VaultError) -> EnrolmentRequestExchange {
    try EnrolmentRequestExchange(
      invitation: invitation, label: label, access: remote.access, cancellation: cancellation)
  }
}

/// Posts a new machine's request, waits for the answer, and prints it. Ends with the program that started it: after a
/// kill, the next run goes on.
struct InvitationJoinCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "join", abstract: "Post a request and wait for its answer.", shouldDisplay: false)
  @OptionGroup var options: InvitationOptions
  @Option(help: "The sealed request, in base64.")
  var request: String
  @Option(help: "How long to wait, in seconds.")
  var wait: Int
  @Option(help: "An answer that did not open, in base64, after which another one is waited for.")
  var ignored: String?

  func run() throws {
    guard let request = Data(base64Encoded: request) else {
      throw VaultError(
        .invalidArgument, "the request is malformed",
        recoverySuggestion: "install the version of coffer-sync that belongs to Coffer")
    }
    let ignored = ignored.flatMap { Data(base64Encoded: $0) }.map { [UInt8]($0) }
    let meter = ProgressMeter()
    let interruption = Interruption.observe()
    let parent = getppid()
    let answer: [UInt8]
    do {
      defer { meter.finish() }
      answer = try options.exchange(interruption.cancellation).answer(
        to: [UInt8](request), at: options.url, in: options.folder, timeout: .seconds(wait),
        ignoring: ignored
      ) { remaining in
        meter.show(waiting: remaining)
        return getppid() == parent
      }
    }
    try StandardOutput.write(Data(answer))
  }
}

/// Deletes the branch of a request that is answered, or given up.
struct InvitationLeaveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "leave", abstract: "Delete the branch of a request.", shouldDisplay: false)
  @OptionGroup var options: InvitationOptions

  func run() throws {
    let interruption = Interruption.observe()
    try options.exchange(interruption.cancellation).withdraw(from: options.url, in: options.folder)
  }
}
