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

  /// Lets the service that runs drop the keys that a passphrase has opened. Returns how many apps had keys that no
  /// agent keeps. Starts nothing, and does nothing if the program is not installed.
  static func lockKeys() -> Int {
    (try? run("--lock")).flatMap { Int(String(decoding: $0, as: UTF8.self).filter { !$0.isNewline }) } ?? 0
  }

  /// Looks for an item through the Secret Service of the session, as any program of the desktop does.
  static func lookUp(_ attributes: [String: String]) throws(VaultError) -> SecretServiceLookUp {
    let input = (try? JSONEncoder().encode(attributes)).map { [UInt8]($0) } ?? []
    let output = String(decoding: try run("--look-up", input: input), as: UTF8.self)
    return SecretServiceLookUp(rawValue: output.filter { !$0.isNewline }) ?? .failed
  }

  private static func run(_ argument: String, input: [UInt8]? = nil) throws(VaultError) -> Data {
    let path = try SiblingProgram.locate(name)
    do throws(SystemError) {
      return Data(
        try ChildProcess.run(
          path, arguments: [argument], input: input, maximumOutputByteCount: maximumByteCount
        ).output)
    } catch {
      throw SiblingProgram.startFailure(path, error)
    }
  }
}
