import CofferCrypto
import CofferFormat
import CofferFormatSamples
import CofferKeys
import CofferTrust

extension VectorReader {
  func invitationCode() throws -> InvitationCode {
    try InvitationCode(parsing: SecretText(copying: text("code").utf8))
  }

  func invitationCodeFields() throws -> [String: String] {
    let code = try invitationCode()
    let text = unsafe code.text.withBytes { unsafe String(decoding: $0, as: UTF8.self) }
    return [
      "text": text, "pin": hexadecimal(code.pin), "key": hex(code.key.key.secret),
      "identifier": code.key.id.description,
    ]
  }

  func pairingTokenFields() throws -> [String: String] {
    let token = try PairingToken(parsing: SecretText(copying: text("token").utf8))
    let code = unsafe token.code.text.withBytes { unsafe String(decoding: $0, as: UTF8.self) }
    return ["code": code, "address": token.address]
  }

  func invitationRequestFields(of file: [UInt8]) throws -> [String: String] {
    let key = try invitationCode().key
    let request = try InvitationRequest(opening: file, with: key)
    return fields(of: request).merging(["label": key.label(of: request.hash).hex]) { $1 }
  }

  private func fields(of request: InvitationRequest) -> [String: String] {
    [
      "genesis": request.genesis.raw.hex, "nonce": request.nonce.hex, "keys": hex(request.keys),
      "delivery key": request.deliveryKey.raw.hex, "name": request.name, "hash": request.hash.hex,
      "words": request.hash.phrase,
    ]
  }

  func invitationAnswerFields(of file: [UInt8]) throws -> [String: String] {
    guard let request = Bytes32(try input("request")) else { throw MalformedVector(what: "request") }
    let answer = try InvitationAnswer(opening: file, for: request, with: invitationCode().key)
    let genesis = ["genesis": answer.genesis.raw.hex]
    switch answer.outcome {
    case .refused(let refusal): return genesis.merging(["refusal": "\(refusal.rawValue)"]) { $1 }
    case .admitted(let admission):
      let keys = try PartyKeys(secret: secret("device's secret keys"))
      let transport = try admission.transportKey(openedBy: keys.agreement)
      return genesis.merging([
        "head": "\(admission.head.sequence) \(admission.head.hash.raw.hex)",
        "root generation": "\(admission.rootGeneration)",
        "transport key": "\(transport.generation) \(hex(transport.key.secret))",
      ]) { $1 }
    }
  }

  func fields(of file: InvitationsFile) -> [String: String] {
    [
      "genesis": file.genesis.raw.hex,
      "invitations": file.invitations.map { invitation in
        ([
          hex(invitation.key.key.secret), "\(invitation.created.microseconds)", "\(invitation.expires.microseconds)",
          "\(invitation.isForAdmin)", "\(invitation.state.rawValue)", invitation.name ?? "none",
        ] + invitation.applications + invitation.requests.map(\.hex)).joined(separator: " ")
      }.joined(separator: ", "),
    ]
  }

  func fields(of enrolment: PendingEnrolment) -> [String: String] {
    fields(of: enrolment.request).merging([
      "key": hex(enrolment.key.key.secret), "url": enrolment.url,
    ]) { $1 }
  }
}
