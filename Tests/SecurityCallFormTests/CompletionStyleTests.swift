// swift-format-ignore-file: NeverForceUnwrap
// Existing code forces casts and optionals, and is copied here unchanged.

import Security
import Testing

private enum KeychainFailure: Error, Equatable { case status(OSStatus) }

/// Calls on a queue, with completion blocks that receive the result.
private final class KeychainService: @unchecked Sendable {
  private let queue = KeychainQueue(label: "com.example.keychain")
  private let callbacks = KeychainQueue(label: "com.example.callbacks")

  func save(_ password: String, for account: String, completion: @escaping (Result<Void, KeychainFailure>) -> Void) {
    queue.async {
      let attributes: [String: Any] = [
        kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: account,
        kSecValueData as String: password.data(using: .utf8)!,
      ]
      let status = SecItemAdd(attributes as CFDictionary, nil)
      self.callbacks.async {
        completion(status == errSecSuccess ? .success(()) : .failure(.status(status)))
      }
    }
  }

  func password(for account: String, completion: @escaping (_ password: String?, _ error: Error?) -> Void) {
    queue.async { [weak self] in
      let result = Result { try KeychainService.read(account) }
      self?.callbacks.async {
        switch result {
        case .success(let password): completion(password, nil)
        case .failure(let error): completion(nil, error)
        }
      }
    }
  }

  static func read(_ account: String) throws -> String {
    let query: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: account, kSecReturnData as String: true,
    ]
    var item: CFTypeRef?
    let status = SecItemCopyMatching(query as CFDictionary, &item)
    guard status == errSecSuccess, let data = item as? Data else { throw KeychainFailure.status(status) }
    return String(decoding: data, as: UTF8.self)
  }

  func save(_ password: String, for account: String) async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, Error>) in
      save(password, for: account) { continuation.resume(with: $0.mapError { $0 }) }
    }
  }

  func password(for account: String) async throws -> String? {
    try await withCheckedThrowingContinuation { continuation in
      password(for: account) { password, error in
        if let error { continuation.resume(throwing: error) } else { continuation.resume(returning: password) }
      }
    }
  }
}

private actor CredentialVault {
  private var cache: [String: String] = [:]
  private(set) var reads = 0

  func password(for account: String) throws -> String {
    if let known = cache[account] { return known }
    reads += 1
    let password = try KeychainService.read(account)
    cache[account] = password
    return password
  }

  func set(_ password: String, for account: String) throws {
    let query = [kSecClass: kSecClassGenericPassword, kSecAttrAccount: account] as [CFString: Any]
    let changes = [kSecValueData: Data(password.utf8)]
    var status = SecItemUpdate(query as CFDictionary, changes as CFDictionary)
    if status == errSecItemNotFound {
      status = SecItemAdd(query.merging(changes) { $1 } as CFDictionary, nil)
    }
    guard status == errSecSuccess else { throw KeychainFailure.status(status) }
    cache[account] = password
  }
}

/// Calls from queues, tasks and actors.
@Suite(.keychain) struct CompletionStyleTests {
  private let service = KeychainService()

  @Test func `A completion block is called once with the result`() async {
    let results: [Result<Void, KeychainFailure>] = await withCheckedContinuation { continuation in
      service.save("one", for: "ada") { first in
        self.service.save("two", for: "ada") { second in continuation.resume(returning: [first, second]) }
      }
    }
    #expect(results.count == 2)
    #expect(throws: Never.self) { try results[0].get() }
    #expect(throws: KeychainFailure.status(errSecDuplicateItem)) { try results[1].get() }
  }

  @Test func `A completion block with a value and an error gets one of them`() async throws {
    try await service.save("one", for: "ada")
    let found: (String?, Error?) = await withCheckedContinuation { continuation in
      service.password(for: "ada") { continuation.resume(returning: ($0, $1)) }
    }
    #expect(found.0 == "one")
    #expect(found.1 == nil)
    let missing: (String?, Error?) = await withCheckedContinuation { continuation in
      service.password(for: "bob") { continuation.resume(returning: ($0, $1)) }
    }
    #expect(missing.0 == nil)
    #expect(missing.1 as? KeychainFailure == .status(errSecItemNotFound))
  }

  @Test func `An async function that wraps completion blocks returns and throws`() async throws {
    try await service.save("one", for: "ada")
    #expect(try await service.password(for: "ada") == "one")
    await #expect(throws: KeychainFailure.status(errSecDuplicateItem)) { try await service.save("two", for: "ada") }
    await #expect(throws: KeychainFailure.status(errSecItemNotFound)) { try await service.password(for: "bob") }
  }

  @Test func `A dispatch group waits for many writes`() async {
    let group = DispatchGroup()
    let lock = NSLock()
    var failures = 0
    for number in 0..<20 {
      group.enter()
      service.save("\(number)", for: "account \(number)") { result in
        if case .failure = result { lock.withLock { failures += 1 } }
        group.leave()
      }
    }
    await withCheckedContinuation { continuation in group.notify(queue: .global()) { continuation.resume() } }
    #expect(lock.withLock { failures } == 0)
    let query: [CFString: Any] = [
      kSecClass: kSecClassGenericPassword, kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true,
    ]
    var items: CFTypeRef?
    #expect(SecItemCopyMatching(query as CFDictionary, &items) == errSecSuccess)
    #expect((items as? [Any])?.count == 20)
  }

  @Test func `Of many concurrent additions of the same item one succeeds`() async {
    let added = await withTaskGroup(of: OSStatus.self) { group in
      for number in 0..<8 {
        group.addTask {
          let attributes: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrAccount: "ada", kSecValueData: Data("\(number)".utf8),
          ]
          return SecItemAdd(attributes as CFDictionary, nil)
        }
      }
      var statuses: [OSStatus] = []
      for await status in group { statuses.append(status) }
      return statuses
    }
    #expect(added.filter { $0 == errSecSuccess }.count == 1)
    #expect(added.filter { $0 == errSecDuplicateItem }.count == 7)
  }

  @Test func `A serial queue guards a property, read and written with sync`() {
    final class Guarded {
      private let queue = KeychainQueue(label: "com.example.guarded")
      var token: String? {
        get { queue.sync { try? KeychainService.read("token") } }
        set {
          queue.sync {
            let query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrAccount: "token"]
            SecItemDelete(query as CFDictionary)
            guard let newValue else { return }
            SecItemAdd(query.merging([kSecValueData: Data(newValue.utf8)]) { $1 } as CFDictionary, nil)
          }
        }
      }
    }
    let guarded = Guarded()
    guarded.token = "one"
    #expect(guarded.token == "one")
    guarded.token = "two"
    #expect(guarded.token == "two")
    guarded.token = nil
    #expect(guarded.token == nil)
  }

  @Test func `A concurrent queue reads in parallel and writes with barriers`() async throws {
    let queue = KeychainQueue(queue: DispatchQueue(label: "com.example.concurrent", attributes: .concurrent))
    let query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrAccount: "ada"]
    let lock = NSLock()
    var found: [Int: [String?]] = [:]
    for number in 0..<5 {
      queue.async(flags: .barrier) {
        SecItemDelete(query as CFDictionary)
        SecItemAdd(query.merging([kSecValueData: Data("\(number)".utf8)]) { $1 } as CFDictionary, nil)
      }
      for _ in 0..<3 {
        queue.async {
          let password = try? KeychainService.read("ada")
          lock.withLock { found[number, default: []].append(password) }
        }
      }
    }
    await withCheckedContinuation { continuation in queue.async(flags: .barrier) { continuation.resume() } }
    for number in 0..<5 { #expect(lock.withLock { found[number] } == Array(repeating: "\(number)", count: 3)) }
  }

  @Test func `An actor keeps the values it has read`() async throws {
    let vault = CredentialVault()
    await #expect(throws: KeychainFailure.status(errSecItemNotFound)) { try await vault.password(for: "ada") }
    try await vault.set("one", for: "ada")
    try await vault.set("two", for: "ada")
    #expect(try await vault.password(for: "ada") == "two")
    #expect(await vault.reads == 1)
    let other = CredentialVault()
    #expect(try await other.password(for: "ada") == "two")
    #expect(try await other.password(for: "ada") == "two")
    #expect(await other.reads == 1)
  }

  @Test func `Tasks and async let use the program's keychain`() async throws {
    let vault = CredentialVault()
    try await vault.set("one", for: "ada")
    try await vault.set("two", for: "bob")
    async let first = vault.password(for: "ada")
    async let second = Task { try KeychainService.read("bob") }.value
    #expect(try await [first, second] == ["one", "two"])
  }

  @Test func `A semaphore makes a completion block synchronous`() {
    let semaphore = DispatchSemaphore(value: 0)
    var outcome: Result<Void, KeychainFailure>?
    service.save("one", for: "ada") {
      outcome = $0
      semaphore.signal()
    }
    semaphore.wait()
    #expect(throws: Never.self) { try outcome?.get() }
    #expect((try? KeychainService.read("ada")) == "one")
  }
}
