import Coffer
import CofferCrypto
import CofferVault
import CofferTestSupport
import Foundation
import Synchronization
import Testing

@Suite struct PassphraseTests {
  /// Creates the vault of the machine "laptop", whose passphrase is "right".
  private func protectedVault(in directory: TemporaryDirectory) throws -> LocalVault {
    let location = VaultLocation(folder: directory.url.appending(path: "vault"))
    try VaultCreation.create(
      at: location, deviceName: "laptop", protection: .passphrase(SecretText(copying: "right".utf8))
    ) { (_) throws(VaultError) in }
    return try LocalVault.open(VaultFolder(location))
  }

  @Test func `The owner's keys open with their passphrase only, which is requested once if so configured`() throws {
    let directory = try TemporaryDirectory()
    let local = try protectedVault(in: directory)
    let asked = Mutex(0)
    func source(_ passphrase: String) -> PassphraseSource {
      PassphraseSource { (_) throws(VaultError) in SecretText(copying: passphrase.utf8) }
    }
    #expect(code { _ = try Vault.open(asOwnerOf: local, passphrase: source("wrong")) } == .authenticationFailed)
    #expect(code { _ = try Vault.open(asOwnerOf: local, passphrase: source("")) } == .authenticationFailed)
    let error = failure { _ = try Vault.open(asOwnerOf: local, passphrase: .unavailable) }
    #expect(error?.code == .locked && error?.recoverySuggestion?.contains("--passphrase-file") == true)

    let once = PassphraseSource { (_) throws(VaultError) in
      asked.withLock { $0 += 1 }
      return SecretText(copying: "right".utf8)
    }.rememberingFirst()
    _ = try Vault.open(asOwnerOf: local, passphrase: once)
    _ = try Vault.open(asOwnerOf: local, passphrase: once)
    #expect(asked.withLock { $0 } == 1)
  }

  @Test func `A source is asked again after a wrong passphrase, up to its attempts, and remembers the right one`()
    throws
  {
    let directory = try TemporaryDirectory()
    let local = try protectedVault(in: directory)
    for attempts in 1...4 {
      let answers = Mutex(["wrong", "", "right", "never"])
      let refusals = Mutex<[VaultError?]>([])
      let source = PassphraseSource(attempts: attempts) { (previous) throws(VaultError) in
        refusals.withLock { $0.append(previous) }
        return SecretText(copying: answers.withLock { $0.removeFirst() }.utf8)
      }.rememberingFirst()
      let error = failure { _ = try Vault.open(asOwnerOf: local, passphrase: source) }
      #expect(error?.code == (attempts < 3 ? .authenticationFailed : nil))
      let asked = refusals.withLock { $0 }
      #expect(asked.count == min(attempts, 3) && asked[0] == nil)
      #expect(asked.dropFirst().allSatisfy { $0?.message == "wrong passphrase for laptop" })
      if attempts >= 3 {
        _ = try Vault.open(asOwnerOf: local, passphrase: source)
        #expect(refusals.withLock { $0.count } == 3)
      }
    }
  }

  @Test func `Another error than a wrong passphrase is thrown at once`() throws {
    let directory = try TemporaryDirectory()
    let local = try protectedVault(in: directory)
    let asked = Mutex(0)
    let source = PassphraseSource(attempts: 3) { (_) throws(VaultError) in
      asked.withLock { $0 += 1 }
      throw VaultError(.locked, "cancelled")
    }
    #expect(code { _ = try Vault.open(asOwnerOf: local, passphrase: source) } == .locked)
    #expect(code { _ = try Vault.open(asOwnerOf: local, passphrase: source, for: .reading("none")) } == .notEntitled)
    #expect(asked.withLock { $0 } == 1)
  }

  @Test(arguments: [0, 1025])
  func `An empty or too long passphrase creates no vault`(count: Int) throws {
    let directory = try TemporaryDirectory()
    let location = VaultLocation(folder: directory.url.appending(path: "vault"))
    #expect(
      code {
        try VaultCreation.create(
          at: location, deviceName: "laptop",
          protection: .passphrase(SecretText(copying: [UInt8](repeating: 65, count: count)))
        ) { (_) throws(VaultError) in }
      } == .invalidArgument)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
  }
}
