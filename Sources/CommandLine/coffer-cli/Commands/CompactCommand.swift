internal import ArgumentParser
internal import Coffer
internal import CofferTerminal
internal import CofferVault

struct CompactCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact", abstract: "Continue the vault on a new branch of the repository, without its history.",
    discussion: """
      Syncs first. The new branch begins with a snapshot of what counts, and every machine follows it with its next sync. \
      An admin's machine does that by itself when the history has become large. The branch before is deleted if the host \
      allows it; the host may still keep what was on it.

      A machine that was absent, and a new one, does not get the values of versions that were superseded before. Those that \
      have them keep them for 30 days.
      """)
  @Flag(help: "Keep the branch with the history until now.")
  var keep = false
  @Flag(help: "Print JSON.")
  var json = false
  @Flag(help: "Print the progress on standard error, as lines of JSON.")
  var progress = false
  @Flag(help: "Log each step.")
  var verbose = false
  @OptionGroup var remote: RemoteAccessOptions

  func run() throws {
    try SiblingProgram.replaceProcess(
      by: SyncProgram.name,
      arguments: ["compact"] + (keep ? ["--keep"] : []) + (json ? ["--json"] : [])
        + (progress ? ["--progress"] : []) + (verbose ? ["--verbose"] : []) + remote.arguments)
  }
}
