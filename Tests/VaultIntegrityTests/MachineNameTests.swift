import CofferAdministration
import CofferCrypto
import CofferFormat
import CofferTestSupport
import CofferVault
import Foundation
import Testing

@testable import Coffer

@Suite struct MachineNameTests {
  @Test func `A name with characters that are not visible is read, and shown with escapes`() throws {
    let machine = try Machine()
    try machine.makeVault()
    let local = try LocalVault.open(VaultFolder(VaultLocation(folder: machine.vault)))
    let session = try AdminSession.open(local, allowingLogFork: false, passphrase: .unavailable)
    let name = "desktop of\u{200B}\u{E000}Jane"
    _ = try session.change(allowingLogFork: false) { draft in
      let statement = DeviceStatement(
        keys: PartyKeys.random().publicKeys, role: .member(delivery: AgreementKey.random().publicKey), name: name)
      try draft.append(.device(statement), by: session.signer, key: session.keys.signing)
    }
    let shown = "desktop of\\u{200B}\\u{E000}Jane"
    #expect(try machine.coffer("status").contains(shown))
    #expect(try VaultStatus.read(from: local).machines.map(\.name).contains(name))
  }
}
