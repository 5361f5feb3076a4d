internal import ArgumentParser
internal import CofferPlatform
internal import CofferVault
internal import Logging

/// The vault and the level of detail of the log.
struct VaultOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The vault's folder. Default: the user's vault.", valueName: "folder"), completion: .directory)
  var vault: String?
  @Flag(help: "Log each step.")
  var verbose = false

  var folder: VaultFolder {
    get throws(VaultError) {
      if let vault { return VaultFolder(URL(fileURLWithPath: vault, isDirectory: true)) }
      return VaultFolder(try .standard())
    }
  }

  var logger: Logger {
    var logger = Logger(label: "coffer-sync") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = verbose ? .debug : .critical
    return logger
  }
}
