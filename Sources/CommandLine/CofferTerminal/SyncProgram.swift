package import Coffer
package import CofferFormat
package import CofferPlatform
internal import CofferSystem
package import CofferVault

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

  /// Changes membership, as ``MembershipPublication/change(_:_:install:)``.
  package static func withMembershipChange(
    _ local: LocalVault, for audience: Audience = .terminal,
    _ change: (_ attempt: Int) throws(VaultError) -> LogPosition?,
    install: () throws(VaultError) -> Void = {}
  ) throws {
    try publication(for: audience).change(local, change, install: install)
  }

  /// Registers apps, or makes credentials for them, as ``MembershipPublication/register(in:_:)``.
  package static func withRegistration(
    in local: LocalVault,
    _ register: (_ attempt: Int) throws(VaultError) -> (credentials: [PendingCredential], position: LogPosition?)
  ) throws {
    try publication(for: .terminal).register(in: local, register)
  }

  /// Makes a change and pushes it, as ``MembershipPublication/pushUntilAccepted(_:arguments:_:)``.
  package static func pushUntilAccepted(
    _ folder: VaultFolder, for audience: Audience = .terminal, arguments: [String] = [],
    _ change: (_ attempt: Int) throws(VaultError) -> LogPosition?
  ) throws {
    try publication(for: audience).pushUntilAccepted(folder, arguments: arguments, change)
  }

  /// Runs a whole sync, as ``MembershipPublication/sync(_:arguments:)``.
  package static func sync(
    _ folder: VaultFolder, for audience: Audience = .terminal, arguments: [String] = []
  ) throws {
    try publication(for: audience).sync(folder, arguments: arguments)
  }

  private static func publication(for audience: Audience) -> MembershipPublication {
    MembershipPublication { try run($0, for: audience) }
  }
}
