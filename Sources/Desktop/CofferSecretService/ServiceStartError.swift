internal import CofferSystem

/// Why the service does not run.
package enum ServiceStartError: Error, CustomStringConvertible {
  /// There is no session bus.
  case noBus
  /// Another program, or another instance, owns the name.
  case nameTaken(NameOwner?)
  /// The instance that was to be replaced does not end.
  case replacementFailed(NameOwner)
  /// The bus has closed the connection, for example because the session ends.
  case disconnected
  /// The bus or the system refuses something.
  case failed(String)

  /// The exit code of the program.
  package var exitCode: Int32 {
    switch self {
    case .nameTaken, .replacementFailed: 9
    case .noBus, .failed: 1
    case .disconnected: 0
    }
  }

  package var description: String {
    switch self {
    case .noBus: "there is no session bus; start it in a desktop session, or with: dbus-run-session -- PROGRAM"
    case .nameTaken(let owner?) where owner.isThisProgram:
      "it runs already as process \(owner.process ?? 0); replace it with: coffer-secret-service --replace"
    case .nameTaken(let owner):
      "\(owner?.words ?? "another program") is the secret service of this session; "
        + "switch with: coffer secret-service install, and back with: coffer secret-service remove"
    case .replacementFailed(let owner):
      "\(owner.words) does not end; end it with: kill -KILL \(owner.process ?? 0)"
    case .disconnected: "the session bus has closed the connection"
    case .failed(let reason): "the service cannot run: \(reason)"
    }
  }
}
