internal import ArgumentParser
internal import CofferGit
internal import CofferExchange
internal import CofferPlatform
internal import CofferSystem
internal import CofferVault
internal import Logging

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
