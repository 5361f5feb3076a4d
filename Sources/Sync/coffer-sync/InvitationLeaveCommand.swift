internal import ArgumentParser
internal import CofferExchange
internal import CofferVault

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
