internal import Coffer
internal import CofferAgent
internal import CofferPlatform
internal import CofferSystem
internal import CofferVault

/// The program `coffer-secret-service`.
enum SecretServiceProgram {
  static let name = "coffer-secret-service"

  private static let maximumByteCount = 65_536

  /// Asks the bus who owns the names of the Secret Service and of the portal. Starts none of them.
  static func report() throws(VaultError) -> SecretServiceReport {
    let output = try run("--report")
    guard let report = try? JSONDecoder().decode(SecretServiceReport.self, from: output) else {
      throw VaultError(
        .io, "\(name) says nothing about the session bus", recoverySuggestion: "install all programs of one version")
    }
    return report
  }

  /// Lets the bus read the files again by which it starts programs. Without a bus, the next one reads them.
  static func reloadBus() { _ = try? run("--reload-bus") }

  private static func run(_ argument: String) throws(VaultError) -> Data {
    let path = try SiblingProgram.locate(name)
    do throws(SystemError) {
      return Data(
        try ChildProcess.run(path, arguments: [argument], maximumOutputByteCount: maximumByteCount).output)
    } catch {
      throw SiblingProgram.startFailure(path, error)
    }
  }
}
