import CofferAgent
import CofferCrypto
import CofferFormat
import Foundation
import Testing

/// The bytes of the packets between a client and the agent. Whoever changes one of them gives them another version: an
/// agent may be older than its clients.
@Suite struct AgentMessageTests {
  private static let identifier = String(repeating: "00", count: 16)
  private static let secret = unsafe SecretBytes(count: 64) { _ in }
  private static let secretText = String(repeating: "00", count: 64)

  private func hex(_ packet: SecretText) -> String {
    unsafe packet.withBytes { bytes in unsafe bytes.map { String(format: "%02x", $0) }.joined() }
  }

  @Test func `Each request has the bytes of version 2`() {
    let (author, group) = (AuthorID(.zero), GroupID(.zero))
    let opening = AgentOpening(folder: "/v", author: author, groups: [group], purpose: .show, reason: "why")
    let deposit = AgentDeposit(
      folder: "/v", author: author, secret: Self.secret, idleSeconds: 600, confirms: true, leased: [group],
      purpose: .show)
    let start = "000000022f76\(Self.identifier)"
    let groups = "00000001\(Self.identifier)"
    let opened = "0201\(start)\(groups)020000000377687900000258"
    #expect(hex(AgentRequest.open(opening).packet()) == opened)
    #expect(hex(AgentRequest.groupKeys(group).packet()) == "0202\(Self.identifier)")
    let kept = "0204\(start)\(Self.secretText)01000002580101\(groups)0200000258"
    #expect(hex(AgentRequest.keep(deposit).packet()) == kept)
    #expect(hex(AgentRequest.lock.packet()) == "0205")
    #expect(hex(AgentRequest.status.packet()) == "0206")
  }

  @Test func `Each answer has the bytes of version 2`() throws {
    let key = unsafe SecretBytes(count: 32) { _ in }
    let signature = try #require(Signature([UInt8](repeating: 0, count: Signature.count)))
    #expect(hex(AgentResponse.done(1).packet()) == "020100000001")
    #expect(hex(AgentResponse.opened.packet()) == "0202")
    let secrets = "02030000000100000001\(Self.secretText)\(String(repeating: "00", count: 32))"
    #expect(hex(AgentResponse.secrets([1: Self.secret], verificationKey: key).packet()) == secrets)
    let signed = "0204\(String(repeating: "00", count: Signature.count))"
    #expect(hex(AgentResponse.signature(signature).packet()) == signed)
    #expect(hex(AgentResponse.refused(.otherApp, message: "why").packet()) == "02050800000003776879")
    #expect(hex(AgentResponse.asking.packet()) == "0206")
    #expect(hex(AgentResponse.status([123, 125]).packet()) == "0207000000027b7d")
  }

  @Test func `A packet of another version is refused`() {
    for version: UInt8 in [0, 1, 3] {
      #expect(throws: FormatError.self) { try AgentRequest(packet: SecretText(copying: [version, 6])) }
      #expect(throws: FormatError.self) { try AgentResponse(packet: SecretText(copying: [version, 2])) }
    }
  }
}
