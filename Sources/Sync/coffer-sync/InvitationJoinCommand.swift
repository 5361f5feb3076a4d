internal import ArgumentParser
internal import CofferExchange
internal import CofferPlatform
internal import CofferVault

/// Posts a new machine's request, waits for the answer, and prints it. Ends with the program that started it: after a kill,
/// the next run goes on.
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
