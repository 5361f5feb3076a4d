internal import CofferVault

/// An error of a call, as D-Bus names it.
struct ServiceError: Error {
  let name: String
  /// For people: it has no secret.
  let text: String

  init(_ name: String, _ text: String) {
    self.name = name
    self.text = text
  }

  private static let bus = "org.freedesktop.DBus.Error."
  private static let secret = "org.freedesktop.Secret.Error."

  static func noSuchObject(_ path: String) -> ServiceError {
    ServiceError(secret + "NoSuchObject", "there is no object \(path) for this program")
  }

  static let noSession = ServiceError(secret + "NoSession", "the session does not exist, or is another program's")

  static let isLocked = ServiceError(
    secret + "IsLocked", "the collection is locked; unlock it with the method Unlock, or with: coffer unlock")

  static func invalid(_ text: String) -> ServiceError { ServiceError(bus + "InvalidArgs", text) }

  static func unknownMethod(_ member: String) -> ServiceError {
    ServiceError(bus + "UnknownMethod", "the object has no method \(member)")
  }

  static func unknownProperty(_ name: String) -> ServiceError {
    ServiceError(bus + "UnknownProperty", "the object has no property \(name)")
  }

  static func readOnlyProperty(_ name: String) -> ServiceError {
    ServiceError(bus + "PropertyReadOnly", "the property \(name) cannot be changed")
  }

  static func notSupported(_ text: String) -> ServiceError { ServiceError(bus + "NotSupported", text) }

  static func denied(_ text: String) -> ServiceError { ServiceError(bus + "AccessDenied", text) }

  static func limit(_ text: String) -> ServiceError { ServiceError(bus + "LimitsExceeded", text) }

  static func failed(_ text: String) -> ServiceError { ServiceError(bus + "Failed", text) }

  /// The error of a call for an error of the vault.
  init(_ error: VaultError) {
    switch error.code {
    case .locked, .authenticationCancelled, .authenticationFailed: self = .isLocked
    case .itemNotFound: self = ServiceError(Self.secret + "NoSuchObject", error.description)
    case .notEntitled, .readOnly: self = .denied(error.description)
    case .invalidArgument: self = .invalid(error.description)
    default: self = .failed(error.description)
    }
  }

  /// The error of a call for any error.
  init(translating error: any Error) {
    if let error = error as? ServiceError {
      self = error
    } else {
      self = ServiceError(VaultError(translating: error))
    }
  }
}
