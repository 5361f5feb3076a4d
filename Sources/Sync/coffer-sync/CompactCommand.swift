internal import ArgumentParser
internal import CofferExchange
internal import CofferVault

struct CompactCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact", abstract: "Sync, and continue the vault on a new branch that begins with a snapshot.")
  @OptionGroup var options: VaultOptions
  @Flag(help: "Keep the branch with the history until now.")
  var keep = false
  @Flag(help: "Print JSON.")
  var json = false
  @Flag(help: "Print the progress on standard error, as lines of JSON.")
  var progress = false
  @OptionGroup var remote: RemoteAccessOptions

  func run() throws {
    try PrintedSync(options, remote, asJSON: json, progress: progress).run { (sync, show) throws(VaultError) in
      try sync.compact(keepingBranch: keep, progress: show)
    }
  }
}
