import Coffer
import CofferCrypto
import CofferVault
import CofferTestSupport
import Foundation
import Synchronization
import Testing

@Suite struct PassphraseTests {
  @Test func `The owner's keys open with their passphrase only, which is requested once if so configured`() throws {
    let directory = try TemporaryDirectory()
    let location = VaultLocation(folder: directory.url.appending(path: "vault"))
    try VaultCreation.create(
      at: location, deviceName: "laptop", protection: .passphrase(SecretText(copying: "right".utf8))
    ) { (_) throws(VaultError) in }
    let local = try LocalVault.open(VaultFolder(location))
    let asked = Mutex(0)
    func source(_ passphrase: String) -> PassphraseSource {
      PassphraseSource { () throws(VaultError) in SecretText(copying: passphrase.utf8) }
    }
    #expect(code { _ = try Vault.open(asOwnerOf: local, passphrase: source("wrong")) } == .authenticationFailed)
    #expect(code { _ = try Vault.open(asOwnerOf: local, passphrase: source("")) } == .authenticationFailed)
    let error = failure { _ = try Vault.open(asOwnerOf: local, passphrase: .unavailable) }
    #expect(error?.code == .locked && error?.recoverySuggestion?.contains("--passphrase-file") == true)

    let once = PassphraseSource { () throws(VaultError) in
      asked.withLock { $0 += 1 }
      return SecretText(copying: "right".utf8)
    }.rememberingFirst()
    _ = try Vault.open(asOwnerOf: local, passphrase: once)
    _ = try Vault.open(asOwnerOf: local, passphrase: once)
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
