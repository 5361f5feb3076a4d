import CofferCrypto
import CofferFormatSamples
import Testing

@testable import CofferFormat
import CofferKeys

@Suite struct SlotTests {
  let fixture: SampleObjects

  init() throws { fixture = try SampleObjects() }

  @Test func `Root's keys open with the vault key only`() throws {
    let slot = try RootSlot(bytes: fixture.rootSlot.bytes, of: fixture.genesis)
    #expect(try slot.open(with: fixture.vaultKey).publicKeys == fixture.root.publicKeys)
    #expect(throws: CryptoError.authenticationFailed) { try slot.open(with: .random()) }
  }

  @Test func `A slot that another root signed is refused`() throws {
    let forged = RootSlot(genesis: fixture.genesis, generation: 1, root: .random(), under: .random()).bytes
    #expect(throws: FormatError(.invalidValue, object: "root slot", field: "root")) {
      try RootSlot(bytes: forged, of: fixture.genesis)
    }
    let later = RootSlot(genesis: fixture.genesis, generation: 2, root: fixture.root, under: .random()).bytes
    #expect(throws: FormatError(.invalidValue, object: "root slot", field: "root")) {
      try RootSlot(bytes: later, of: fixture.genesis)
    }
  }

  @Test func `The slot of a later root is signed by the keys that it contains, and never the first root's`() throws {
    let made = try fixture.laterRootSlot()
    let slot = try RootSlot(bytes: made.bytes, of: fixture.genesis)
    let root = try fixture.laterRoot().publicKeys
    #expect(slot.generation == 2 && slot.hash == made.hash && slot.root == root)
    #expect(try slot.open(with: fixture.vaultKey).publicKeys == slot.root)
    #expect(throws: FormatError(.invalidValue, object: "root slot", field: "generation")) {
      try RootSlot.first(bytes: made.bytes, of: fixture.genesis)
    }
    #expect(try RootSlot.first(bytes: fixture.rootSlot.bytes, of: fixture.genesis).generation == 1)
  }

  @Test func `An admin's keys open with the passphrase only`() throws {
    let made = try AdminFile(
      genesis: fixture.genesis.hash, key: fixture.admin, passphrase: SecretText(copying: "Pferd".utf8), cost: .floor)
    let file = try AdminFile(secretBytes: made.secretBytes())
    #expect(file.needsPassphrase)
    #expect(try file.open(passphrase: SecretText(copying: "Pferd".utf8)).publicKeys == fixture.admin.publicKeys)
    for wrong in [SecretText(copying: "pferd".utf8), nil] {
      #expect(throws: CryptoError.authenticationFailed) { try file.open(passphrase: wrong) }
    }
  }

  @Test func `No altered byte of a locked admin file is accepted`() throws {
    let passphrase = SecretText(copying: "Pferd".utf8)
    let sample = try AdminFile(genesis: fixture.genesis.hash, key: fixture.admin, passphrase: passphrase, cost: .floor)
      .secretBytes()
    // Genesis, cost, salt, commitment and sealed keys; each costs one password hash.
    for index in [5, 36, 41, 45, 46, 61, 62, 93, 98, 140, sample.count - 1] {
      var altered = sample
      altered[index] ^= 3
      #expect(throws: (any Error).self, "byte \(index)") {
        try AdminFile(secretBytes: altered).open(passphrase: passphrase)
      }
    }
  }

  @Test func `A forged cost is refused before the hash is computed`() throws {
    let sample = try AdminFile(
      genesis: fixture.genesis.hash, key: fixture.admin, passphrase: SecretText(copying: [65]), cost: .floor
    )
    .secretBytes()
    for (index, bytes) in [(38, [0, 0, 0, 0]), (38, [0, 0, 0, 65]), (42, [0, 0, 31, 255]), (42, [0, 32, 0, 1])]
      as [(Int, [UInt8])]
    {
      var altered = sample
      altered.replaceSubrange(index..<index + 4, with: bytes)
      #expect(throws: FormatError(.invalidValue, object: "admin file", field: "password hashing cost")) {
        try AdminFile(secretBytes: altered)
      }
    }
  }

  @Test func `An error about a secret file contains none of its bytes`() throws {
    let canary = [UInt8]("canary-canary-canary-canary-cana".utf8)
    let keys = try PartyKeys(secret: SecretBytes(copying: (canary + canary)[...]))
    let bytes = try AdminFile(genesis: fixture.genesis.hash, key: keys, passphrase: nil).secretBytes()
    for altered in [bytes + [0], Array(bytes.dropLast()), Array(bytes.dropFirst())] {
      do {
        _ = try AdminFile(secretBytes: altered)
        Issue.record("an altered file was read")
      } catch {
        var shown = "\(error)\(String(reflecting: error))"
        dump(error, to: &shown)
        #expect(!shown.contains("canary") && !shown.contains(hexadecimal(canary.prefix(6))))
      }
    }
  }
}
