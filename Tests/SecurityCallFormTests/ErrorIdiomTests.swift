import Security
import Testing

// MARK: Errors that callers make of a status

extension OSStatus {
  fileprivate var message: String { SecCopyErrorMessageString(self, nil) as String? ?? "Unknown error \(self)" }

  fileprivate var asNSError: NSError {
    NSError(domain: NSOSStatusErrorDomain, code: Int(self), userInfo: [NSLocalizedDescriptionKey: message])
  }

  fileprivate func orThrow() throws {
    guard self == errSecSuccess else { throw asNSError }
  }
}

extension OSStatus: @retroactive Error {}

private enum KeychainError: Error {
  case itemNotFound
  case duplicateItem
  case invalidItemFormat
  case unexpectedStatus(OSStatus)

  init?(_ status: OSStatus) {
    switch status {
    case errSecSuccess: return nil
    case errSecItemNotFound: self = .itemNotFound
    case errSecDuplicateItem: self = .duplicateItem
    default: self = .unexpectedStatus(status)
    }
  }
}

extension KeychainError: LocalizedError {
  var errorDescription: String? {
    switch self {
    case .itemNotFound: return "There is no such password."
    case .duplicateItem: return "There is one already."
    case .invalidItemFormat: return "It is no text."
    case .unexpectedStatus(let status): return SecCopyErrorMessageString(status, nil) as String?
    }
  }
}

private struct StatusError: Error, CustomNSError, Equatable {
  let status: OSStatus

  static var errorDomain: String { "com.example.keychain" }
  var errorCode: Int { Int(status) }
  var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: status.message] }
}

private enum Status: OSStatus, Error, CaseIterable {
  case success = 0
  case parameter = -50
  case userCanceled = -128
  case authFailed = -25293
  case duplicateItem = -25299
  case itemNotFound = -25300
  case noSuchAttribute = -25303
  case interactionNotAllowed = -25308
  case missingEntitlement = -34018
  case unknown = -1

  init(status: OSStatus) { self = Status(rawValue: status) ?? .unknown }
}

/// The ways in which callers handle failures.
@Suite(.keychain) struct ErrorIdiomTests {
  private let query: [String: Any] = [
    kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: "ada",
  ]

  private func add() -> OSStatus {
    SecItemAdd(query.merging([kSecValueData as String: Data("secret".utf8)]) { $1 } as CFDictionary, nil)
  }

  @Test func `A status has a message`() {
    #expect(
      SecItemCopyMatching(query as CFDictionary, nil).message
        == "The specified item could not be found in the keychain.")
    #expect(add().message == "No error.")
    #expect(add().message == "The specified item already exists in the keychain.")
    #expect(SecItemDelete([:] as CFDictionary).message == "One or more parameters passed to a function were not valid.")
    if let message = SecCopyErrorMessageString(errSecAuthFailed, nil) {
      #expect("\(message)".contains("passphrase"))
    }
    #expect(SecCopyErrorMessageString(1_234_567, nil) != nil)
  }

  @Test func `A status describes itself by its number`() {
    let status = SecItemCopyMatching(query as CFDictionary, nil)
    #expect(status.description == "-25300")
    #expect("error: \(status)" == "error: -25300")
    #expect(String(describing: status) == "-25300")
    #expect(String(format: "%d", status) == "-25300")
    #expect(status == errSecItemNotFound && status != noErr)
  }

  @Test func `A status is thrown as an NSError of its domain`() throws {
    #expect(throws: Never.self) { try add().orThrow() }
    do {
      try add().orThrow()
      Issue.record("it is a duplicate")
    } catch let error as NSError {
      #expect(error.domain == NSOSStatusErrorDomain)
      #expect(error.code == Int(errSecDuplicateItem))
      #expect(error.localizedDescription == "The specified item already exists in the keychain.")
    }
    let error = NSError(domain: NSOSStatusErrorDomain, code: Int(add()), userInfo: nil)
    #expect(OSStatus(error.code) == errSecDuplicateItem)
  }

  @Test func `An enum of errors is created from a status and matched`() throws {
    func save() throws { if let error = KeychainError(add()) { throw error } }
    func load() throws -> String {
      var item: CFTypeRef?
      let status = SecItemCopyMatching(query.merging(["r_Data": true]) { $1 } as CFDictionary, &item)
      if let error = KeychainError(status) { throw error }
      guard let data = item as? Data, let text = String(data: data, encoding: .utf8) else {
        throw KeychainError.invalidItemFormat
      }
      return text
    }
    do {
      _ = try load()
      Issue.record("there is none")
    } catch KeychainError.itemNotFound {
    } catch { Issue.record("\(error)") }
    try save()
    #expect(try load() == "secret")
    do {
      try save()
      Issue.record("it is a duplicate")
    } catch KeychainError.duplicateItem {}
    #expect(SecItemUpdate(query as CFDictionary, [kSecValueData: Data([0xFF, 0xFE])] as CFDictionary) == errSecSuccess)
    do {
      _ = try load()
      Issue.record("it is no text")
    } catch KeychainError.invalidItemFormat {}
  }

  @Test func `A localized error has the keychain's message`() {
    let status = SecItemCopyMatching(["class": "none"] as CFDictionary, nil)
    let error: Error? = KeychainError(status)
    #expect(error?.localizedDescription == "The specified item does not appear to be a valid keychain item.")
    #expect(KeychainError(errSecItemNotFound)?.errorDescription == "There is no such password.")
    #expect(KeychainError(noErr) == nil)
  }

  @Test func `An error with a custom domain keeps the code`() {
    let error = StatusError(status: SecItemDelete(query as CFDictionary)) as NSError
    #expect(error.domain == "com.example.keychain")
    #expect(error.code == -25300)
    #expect(error.localizedDescription.hasPrefix("The specified item"))
    #expect(throws: StatusError(status: errSecItemNotFound)) {
      throw StatusError(status: SecItemDelete(query as CFDictionary))
    }
  }

  @Test func `An enum with raw values is created from every status`() {
    #expect(Status(status: SecItemDelete(query as CFDictionary)) == .itemNotFound)
    #expect(Status(status: add()) == .success)
    #expect(Status(status: add()) == .duplicateItem)
    #expect(Status(status: SecItemDelete(["class": "genp", "port": 1] as CFDictionary)) == .noSuchAttribute)
    #expect(Status(status: SecItemDelete(["class": "genp", "agrp": "x"] as CFDictionary)) == .missingEntitlement)
    #expect(Status(status: -7) == .unknown)
    for status in Status.allCases where status != .unknown {
      #expect(SecCopyErrorMessageString(status.rawValue, nil) as String? != nil, "\(status)")
    }
  }

  @Test func `A Result carries the password or the status`() {
    func password() -> Result<String, StatusError> {
      var item: CFTypeRef?
      let status = SecItemCopyMatching(
        query.merging([kSecReturnData as String: kCFBooleanTrue!]) { $1 } as CFDictionary, &item)
      guard status == errSecSuccess else { return .failure(StatusError(status: status)) }
      return .success((item as? Data).map { String(decoding: $0, as: UTF8.self) } ?? "")
    }
    #expect(password() == .failure(StatusError(status: errSecItemNotFound)))
    #expect(add() == errSecSuccess)
    #expect(password() == .success("secret"))
    #expect(password().map(\.count) == .success(6))
    #expect((try? password().get()) == "secret")
  }

  @Test func `A switch over statuses chooses by constant`() {
    func outcome(_ status: OSStatus) -> String {
      switch status {
      case noErr: return "fine"
      case errSecItemNotFound, errSecNoSuchKeychain: return "missing"
      case errSecDuplicateItem: return "there"
      case errSecInteractionNotAllowed, errSecAuthFailed, errSecUserCanceled: return "locked"
      case let other where other == errSecParam: return "wrong"
      case let other: return "status \(other)"
      }
    }
    #expect(outcome(SecItemDelete(query as CFDictionary)) == "missing")
    #expect(outcome(add()) == "fine")
    #expect(outcome(add()) == "there")
    #expect(outcome(SecItemDelete([:] as CFDictionary)) == "wrong")
    #expect(outcome(SecItemDelete(["class": "x"] as CFDictionary)) == "status -25306")
  }

  @Test func `An error of a key is a CFError, an NSError and an Error`() {
    var error: Unmanaged<CFError>?
    let parameters = [kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: 7] as [CFString: Any]
    #expect(SecKeyCreateRandomKey(parameters as CFDictionary, &error) == nil)
    let thrown = error!.takeRetainedValue() as Error
    #expect((thrown as NSError).code == Int(errSecParam))
    #expect((thrown as NSError).domain == NSOSStatusErrorDomain)
    #expect(CFErrorGetCode(thrown as CFError) == Int(errSecParam))
    #expect(!thrown.localizedDescription.isEmpty)
  }

  @Test func `A status is thrown unchanged`() {
    func save() throws {
      let status = add()
      guard status == errSecSuccess else { throw status }
    }
    #expect(throws: Never.self) { try save() }
    #expect(throws: errSecDuplicateItem) { try save() }
    #expect((try? save()) == nil)
    do { try save() } catch errSecDuplicateItem as OSStatus {} catch { Issue.record("\(error)") }
  }
}
