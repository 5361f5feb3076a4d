import CofferCrypto
import CofferFormatSamples
import Testing

@testable import CofferFormat

@Suite struct InvitationCodeTests {
  private let fixture: SampleObjects
  private let other = EntryHash(Hash.digest([1], domain: .genesis))

  init() throws { fixture = try SampleObjects() }

  private func text(of code: InvitationCode) -> String {
    unsafe code.text.withBytes { unsafe String(decoding: $0, as: UTF8.self) }
  }

  private func parsed(_ text: String) throws -> InvitationCode {
    try InvitationCode(parsing: SecretText(copying: text.utf8))
  }

  @Test func `A code has twelve groups, and its text is read as the same code for the same vault`() throws {
    for _ in 0..<100 {
      let code = InvitationCode.random(for: fixture.genesis.hash)
      let text = text(of: code)
      #expect(text.wholeMatch(of: /INVITE1(-[0-9A-HJKMNP-TV-Z]{4}){12}/) != nil)
      let again = try parsed(text.lowercased().replacing("-", with: " "))
      #expect(self.text(of: again) == text && again.key.id == code.key.id)
      #expect(again.isFor(fixture.genesis.hash) && !again.isFor(other))
    }
  }

  @Test func `A code pins 80 bits of the hash of the genesis`() throws {
    let code = InvitationCode.random(for: fixture.genesis.hash)
    for bit in 0..<256 {
      var bytes = fixture.genesis.hash.raw.bytes
      bytes[bit / 8] ^= 1 << (7 - bit % 8)
      #expect(try code.isFor(EntryHash(#require(Bytes32(bytes)))) == (bit >= 80), "\(bit)")
    }
  }

  @Test func `A code whose pin was exchanged is the code of another invitation`() throws {
    let code = try fixture.invitationCode()
    var bytes = code.pin
    #expect(bytes == Array(fixture.genesis.hash.raw.bytes.prefix(10)))
    bytes[9] ^= 1
    let random = unsafe SecretBytes(count: 16) { buffer in for index in 0..<16 { unsafe buffer[index] = UInt8(index) } }
    let form = TypedSecret(prefix: "INVITE1", secretByteCount: 26, checkByteCount: 4, checkDomain: .invitationCheck)
    func joined(_ pin: [UInt8]) -> SecretText {
      form.text(of: SecretBytes(joining: random, SecretBytes(copying: pin[...])))
    }
    let same = try InvitationCode(parsing: joined(code.pin))
    let exchanged = try InvitationCode(parsing: joined(bytes))
    #expect(same.key.id == code.key.id)
    #expect(exchanged.key.id != code.key.id && !exchanged.isFor(fixture.genesis.hash))
  }

  @Test func `Only the key of an invitation makes the labels of its requests`() throws {
    let key = try fixture.invitationCode().key
    let label = key.label(of: fixture.invitationRequest.hash)
    #expect(key.hasMade(label) && key.label(of: other.raw) != label)
    #expect(!InvitationCode.random(for: fixture.genesis.hash).key.hasMade(label))
    for index in label.bytes.indices {
      var bytes = label.bytes
      bytes[index] ^= 1
      #expect(try !key.hasMade(#require(Bytes16(bytes))), "\(index)")
    }
    #expect(!key.hasMade(.zero) && !key.hasMade(key.id.raw))
  }
}
