package import Coffer
package import CofferPlatform
internal import CofferSystem

/// The program `coffer-sync`, which uses the network.
package enum SyncProgram {
  /// Who sees what `coffer-sync` says, and whom it can ask.
  package enum Audience: Sendable {
    /// The person at this program's terminal.
    case terminal
    /// Nobody but this program: the messages are in ``SyncFailure/messages``.
    case program
  }

  package static let name = SyncProcess.program

  private static let maximumOutputByteCount = 16 << 20

  /// Runs `coffer-sync` and waits for its end. Returns its standard output, at most 16 MiB. The input has at most 64
  /// KiB, and is only for ``Audience/terminal``. Throws ``SyncFailure`` if the program fails; it has said why.
  @discardableResult
  package static func run(
    _ arguments: [String], for audience: Audience = .terminal, input: [UInt8]? = nil
  ) throws -> Data {
    switch audience {
    case .terminal:
      let (exit, output) = try runAtTerminal(arguments, input)
      return try SyncFailure.check(exit, output: output)
    case .program: return try SyncProcess.output(of: arguments)
    }
  }

  private static func runAtTerminal(
    _ arguments: [String], _ input: [UInt8]?
  ) throws(VaultError) -> (ChildProcess.Exit, Data) {
    let path = try SiblingProgram.locate(name)
    do throws(SystemError) {
      let result = try ChildProcess.run(
        path, arguments: arguments, input: input, maximumOutputByteCount: maximumOutputByteCount)
      return (result.exit, Data(result.output))
    } catch {
      throw SiblingProgram.startFailure(path, error)
    }
  }

  /// Finds the repository of a host or folder, or creates it, and returns its URL, and a note about the place. A URL
  /// with a password is returned as it is.
  package static func findRepository(
    _ place: String, isCreating: Bool, for audience: Audience = .terminal
  ) throws -> (url: String, note: String?) {
    guard URLPassword(place) == nil else { return (place, nil) }
    let output = try run(["remote", "find"] + (isCreating ? ["--create"] : []) + ["--", place], for: audience)
    let lines = String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    return (lines.first ?? place, lines.dropFirst().first)
  }

  /// Replaces this program by `coffer-sync` with its own command and options: those that ArgumentParser has read here
  /// are options of that program, too.
  package static func replaceProcess() throws(VaultError) {
    try SiblingProgram.replaceProcess(by: name, arguments: Array(CommandLine.arguments.dropFirst()))
  }

  /// Publishes changes of membership, and runs whole syncs, with what the person at this program's terminal sees.
  package static var publication: MembershipPublication { publication(for: .terminal) }

  package static func publication(for audience: Audience) -> MembershipPublication {
    switch audience {
    case .terminal: MembershipPublication { try run($0) }
    case .program: .leavingUnread
    }
  }
}
