internal import ArgumentParser
internal import CofferExchange
internal import CofferPlatform
internal import CofferSystem
internal import CofferVault

/// `coffer-sync`: the program that uses the network. It holds the device's keys and never the key of a group.
struct CofferSyncCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "coffer-sync",
    abstract: "Moves a vault's sealed objects between this machine and a git remote.",
    discussion:
      "`coffer sync`, `coffer clone` and `coffer remote set` run it. It can also be run directly, for example by a timer.",
    version: CofferVersion.text,
    subcommands: [
      SyncCommand.self, CompactCommand.self, DownloadCommand.self, DownloadContentsCommand.self, ReadCommand.self,
      InvitationCommand.self, RemoteCommand.self, BackupCommand.self,
    ])
}

@main
enum Program {
  static func main() {
    try? CurrentProcess.harden()
    signal(SIGPIPE, SIG_IGN)
    // A parent that ignores SIGCHLD passes this on, and the exit codes of ssh and git would be lost.
    signal(SIGCHLD, SIG_DFL)
    do {
      if let complaint = GivenText.complaint {
        printError(complaint)
        exit(2)
      }
      if let command = SyncCommand.read(CommandLine.arguments.dropFirst()) { return try command.run() }
      var command = try CofferSyncCommand.parseAsRoot()
      try command.run()
    } catch let error as VaultError {
      fail(error)
    } catch let error as ExitCode {
      exit(error.rawValue)
    } catch {
      let code = CofferSyncCommand.exitCode(for: error)
      let message = CofferSyncCommand.fullMessage(for: error)
      if code == .success { show(message) }
      let isUsage = code == .validationFailure
      printError(isUsage ? UsageMistake.line(CofferSyncCommand.message(for: error), help: message) : message)
      exit(isUsage ? 2 : 1)
    }
  }

  private static func fail(_ error: VaultError) -> Never {
    StandardOutput.endIfClosed()
    printError(error.description)
    exit(error.exitCode)
  }

  /// Prints what was asked for, such as a help text.
  private static func show(_ text: String) -> Never {
    do throws(VaultError) {
      try StandardOutput.line(text)
    } catch {
      fail(error)
    }
    exit(0)
  }

  /// Writes a line to standard error that is no error: a status or advice.
  static func printNote(_ message: String) {
    StandardError.line(message)
  }

  /// Writes a line about an event to standard error, for a journal.
  static func printEvent(_ message: String) {
    // The terminal may be gone, and the process goes on.
    StandardError.line("coffer-sync: \(message.sanitizedForTerminal(limit: .max))")
  }

  /// Writes an error or warning to standard error, as one of `coffer`: that is the command that the user typed.
  static func printError(_ message: String) {
    StandardError.line("coffer: \(message)")
  }
}

/// Replaces the function of Mbed TLS that reads a file of certificates: it reads none and returns an error.
///
/// libgit2 reads all of the system's certificates when it is initialised, which takes longer than the rest of a sync
/// without changes. This program never lets libgit2 connect to anything: ssh, git and `coffer-transport` carry the
/// bytes of every transfer. If libgit2 did connect, it would now trust no server. Only this program has the function,
/// so that it affects no app. It does nothing where libgit2 uses another library for TLS.
///
/// - Parameters:
///   - chain: Where the certificates would be added.
///   - path: The path of the file.
/// - Returns: `MBEDTLS_ERR_X509_FILE_IO_ERROR`.
@_cdecl("mbedtls_x509_crt_parse_file")
public func readNoCertificates(_ chain: UnsafeMutableRawPointer?, _ path: UnsafePointer<CChar>?) -> CInt { -0x2900 }
