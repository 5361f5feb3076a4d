internal import ArgumentParser
internal import Coffer
internal import CofferVault
internal import CofferGit
internal import CofferSync
internal import Foundation
internal import Logging

/// Which vault, and how much to say.
struct VaultOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The vault's folder. Default: the user's vault.", valueName: "folder"), completion: .directory)
  var vault: String?
  @Flag(help: "Say what is going on, step by step.")
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

struct SyncCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync", abstract: "Fetch what other machines wrote, and push what this one did.")
  @OptionGroup var options: VaultOptions
  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    let local = try LocalVault.open(options.folder)
    let meter = ProgressMeter()
    let report: SyncReport
    do {
      defer { meter.finish() }
      let interruption = Interruption()
      report = try Synchronizer(
        local, cancellation: interruption.cancellation, logger: options.logger, progress: meter.show
      ).run()
    }
    if json {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      try FileHandle.standardOutput.write(contentsOf: try encoder.encode(report) + Data("\n".utf8))
    } else {
      for line in report.summary { print(line) }
    }
    for problem in report.problems { Program.complain(problem) }
    if report.membershipDiscarded > 0 && !json {
      Program.complain(
        "\(report.membershipDiscarded) membership changes made here came second and are gone; make them again")
    }
    if !report.problems.isEmpty { throw ExitCode(6) }
  }
}

struct DownloadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "download", abstract: "Bring a vault's sealed objects for `coffer clone`.", shouldDisplay: false)
  @Option(help: "The folder to lay them into.")
  var into: String
  @Argument(help: "The repository's URL or path.")
  var url: String

  func run() throws {
    let meter = ProgressMeter()
    defer { meter.finish() }
    let interruption = Interruption()
    try VaultDownload(cancellation: interruption.cancellation, progress: meter.show).run(
      from: url, into: VaultFolder(URL(fileURLWithPath: into, isDirectory: true)))
  }
}

struct RemoteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remote", abstract: "Choose the remote.", subcommands: [RemoteSetCommand.self])
}

struct RemoteSetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "set", abstract: "Set the remote.")
  @OptionGroup var options: VaultOptions
  @Argument(help: "The repository's URL or path.")
  var url: String

  func run() throws {
    let remote = try RemoteSetting(LocalVault.open(options.folder)).set(url)
    print("The remote is \(remote). Next: coffer sync")
  }
}

extension SyncReport {
  /// What a person wants to know of it.
  fileprivate var summary: [String] {
    if isUnchanged { return ["Up to date with \(remote)."] }
    var lines = ["Synced with \(remote)."]
    if recordsReceived + membershipReceived > 0 {
      lines.append("  received: \(Self.count(recordsReceived, membershipReceived))")
    }
    if recordsSent + membershipSent > 0 { lines.append("  sent:     \(Self.count(recordsSent, membershipSent))") }
    if recordsPending > 0 {
      lines.append("  waiting:  \(recordsPending) changes by authors this machine does not know yet")
    }
    if repaired > 0 { lines.append("  put back: \(repaired) objects that the remote had lost or altered") }
    if isClonedDevice {
      lines.append(
        "  A copy of this machine, or this machine before a backup was put back, has synced under its name. Nothing is lost; where it was a copy, clone the vault there instead."
      )
    }
    return lines
  }

  private static func count(_ records: Int, _ entries: Int) -> String {
    var parts: [String] = []
    if records > 0 { parts.append("\(records) item change\(records == 1 ? "" : "s")") }
    if entries > 0 { parts.append("\(entries) membership entr\(entries == 1 ? "y" : "ies")") }
    return parts.joined(separator: ", ")
  }
}
