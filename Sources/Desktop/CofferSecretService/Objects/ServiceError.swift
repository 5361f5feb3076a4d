internal import CofferBus
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

extension BusServer {
  /// Answers a call with an error.
  func reject(_ call: BusMessage, _ error: ServiceError) {
    send(.failure(of: call, name: error.name, text: error.text))
  }
}

/// How much a program may have and send.
enum ServiceLimits {
  static let sessions = 256
  /// Of all programs with one identity: their keys are in memory that the system locks.
  static let allSessions = 4_096
  static let prompts = 32
  static let attributes = 64
  static let attributeByteCount = 8_192
  /// Names and values of an item's attributes together. Their record, with escapes, is a part of what an item may have.
  static let allAttributesByteCount = 65_536
  static let aliases = 16
  static let labelByteCount = 8_192
  /// Secrets that one call of `GetSecrets` returns.
  static let answerByteCount = 32 << 20
  static let memoryItems = 1_000
  static let memoryByteCount = 8 << 20
  /// Searches of a locked collection that are remembered.
  static let lockedSearches = 128

  /// Throws for attributes that are more or larger than allowed, or have no name.
  static func check(attributes: [String: String]) throws(ServiceError) {
    guard attributes.count <= Self.attributes else {
      throw .limit("an item has at most \(Self.attributes) attributes")
    }
    let byteCount = attributes.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
    guard byteCount <= allAttributesByteCount else {
      throw .limit("the attributes of an item have at most \(allAttributesByteCount) bytes together")
    }
    for (name, value) in attributes {
      guard !name.isEmpty else { throw .invalid("an attribute has no name") }
      guard name.utf8.count <= attributeByteCount, value.utf8.count <= attributeByteCount else {
        throw .limit("names and values of attributes have at most \(attributeByteCount) bytes")
      }
    }
  }

  static func check(label: String) throws(ServiceError) {
    guard label.utf8.count <= labelByteCount else { throw .limit("a label has at most \(labelByteCount) bytes") }
  }
}
