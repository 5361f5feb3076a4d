internal import ArgumentParser
internal import Coffer
internal import CofferSystem
internal import CofferSync
internal import Foundation

/// `coffer-sync`: the program that talks to the network. It holds the device's keys and never a group's.
struct CofferSyncCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "coffer-sync",
    abstract: "Moves a vault's sealed objects between this machine and a git remote.",
    discussion:
      "`coffer sync`, `coffer clone` and `coffer remote set` run it; it can be run by itself, from a timer for instance.",
    version: CofferVersion.text,
    subcommands: [SyncCommand.self, DownloadCommand.self, RemoteCommand.self])
}

@main
enum Program {
  static func main() {
    try? CurrentProcess.harden()
    signal(SIGPIPE, SIG_IGN)
    do {
      var command = try CofferSyncCommand.parseAsRoot()
      try command.run()
    } catch let error as VaultError {
      complain(error.description)
      exit(error.exitCode)
    } catch let error as ExitCode {
      exit(error.rawValue)
    } catch {
      let code = CofferSyncCommand.exitCode(for: error)
      let message = CofferSyncCommand.fullMessage(for: error)
      if code == .success {
        print(message)
        exit(0)
      }
      FileHandle.standardError.write(Data((message + "\n").utf8))
      exit(code == .validationFailure ? 2 : 1)
    }
  }

  /// One line on standard error. The user typed `coffer`, which runs this program for its network part.
  static func complain(_ message: String) {
    FileHandle.standardError.write(Data("coffer: \(message)\n".utf8))
  }
}
