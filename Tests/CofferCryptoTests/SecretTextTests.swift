import CofferCrypto
import Testing

@Suite struct SecretTextTests {
  private func text(of secret: SecretText) -> String {
    unsafe secret.withBytes { unsafe String(decoding: $0, as: UTF8.self) }
  }

  @Test func `A secret has the bytes that were appended, and no more than fit`() {
    var refused = 0
    let secret = SecretText(capacity: 5) { buffer in
      for byte in "correct".utf8 where !buffer.append(byte) { refused += 1 }
    }
    #expect(text(of: secret) == "corre" && secret.count == 5 && refused == 2)
    #expect(SecretText(copying: []).isEmpty)
    #expect(text(of: SecretText(copying: "é".utf8)) == "é")
    #expect(text(of: SecretText(capacity: 0) { _ in }) == "")
  }

  @Test func `Removed bytes are not in the memory of the secret`() {
    let secret = SecretText(capacity: 16) { buffer in
      for byte in "aéx".utf8 { buffer.append(byte) }
      buffer.removeLastCharacter()
      buffer.removeLastCharacter()
      #expect(buffer.count == 1)
      buffer.removeAll()
      buffer.removeLastCharacter()
      // What is left of earlier bytes comes after the end.
      unsafe buffer.append { rest in
        #expect(unsafe rest.count == 16 && rest.allSatisfy { $0 == 0 })
        unsafe rest[0] = 7
        return 1
      }
    }
    #expect(unsafe secret.withBytes { unsafe Array($0) } == [7])
  }

  @Test func `An array whose bytes were moved is empty`() {
    var bytes = Array("horse".utf8)
    let secret = SecretText(moving: &bytes)
    #expect(bytes.isEmpty)
    #expect(text(of: secret) == "horse")
  }

  @Test func `Secrets are equal if all of their bytes are`() {
    let secret = SecretText(copying: "horse".utf8)
    #expect(secret == SecretText(copying: "horse".utf8))
    for other in ["Horse", "horsf", "hors", "horses", ""] { #expect(secret != SecretText(copying: other.utf8)) }
    #expect(SecretText(copying: []) == SecretText(copying: []))
  }

  @Test func `An error while a secret is written is passed on`() {
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try SecretText(capacity: 8) { (buffer) throws(Stop) in
        buffer.append(1)
        throw Stop()
      }
    }
  }
}
