import CofferCrypto
import CofferFormatSamples
import CofferKeys

@testable import CofferFormat

extension VectorCatalog {
  /// Invitations: the code, what the repository carries, the entry of the log, and the files of both machines.
  mutating func addInvitations() throws {
    try addInvitationCodes()
    try addPairingTokens()
    try addInvitationRequests()
    try addInvitationAnswers()
    let entry = try fixture.entries()[1]
    func device(named name: String) throws -> [UInt8] {
      let invitation = try fixture.invitationCode().key.id
      return Statement.device(
        DeviceStatement(
          keys: fixture.device.publicKeys, role: .invited(invitation, delivery: fixture.delivery.publicKey), name: name)
      ).body
    }
    let body = try device(named: "Büro")
    let cases: [(String, [UInt8], String)] = [
      ("invited-device-without-a-name", try device(named: ""), "invalidValue"),
      ("invited-device-name-with-escape", try device(named: "\u{1b}[2J"), "invalidValue"),
      ("invited-device-truncated", body.dropLast(), "truncated"),
      ("invited-device-trailing-byte", body + [0], "trailingBytes"),
    ]
    for (name, body, code) in cases {
      let bytes = signed(entry: entry, kind: 9, isCritical: true, body: body)
      try add("log-\(name)", "log entry", bytes, inputs(of: fixture.admin), expect: code)
    }
    let file = try fixture.invitationsFile().secretBytes()
    try add("invitations-file", "invitations file", file)
    try add("invitations-file-empty", "invitations file", InvitationsFile(genesis: fixture.genesis.hash).secretBytes())
    try add("invitations-file-truncated", "invitations file", file.dropLast(), expect: "truncated")
    try add("invitations-file-trailing-byte", "invitations file", file + [0], expect: "trailingBytes")
    try add(
      "invitations-file-newer-version", "invitations file", altered(file, at: 4, to: 2), expect: "unsupportedVersion")
    // kind 5, genesis 32, then the count of invitations.
    try add("invitations-file-huge-count", "invitations file", altered(file, at: 40, to: 255), expect: "tooLarge")
    let pending = try fixture.pendingEnrolment().secretBytes()
    try add("pending-enrolment", "pending enrolment", pending)
    try add("pending-enrolment-truncated", "pending enrolment", pending.dropLast(), expect: "truncated")
  }

  private mutating func addInvitationCodes() throws {
    let text = SampleObjects.invitationCodeText
    try add("invitation-code", "invitation code", [], ["code": text])
    let typed = text.lowercased().replacing("-", with: " ").replacing("0", with: "o").replacing("1", with: "l")
    try add("invitation-code-as-typed", "invitation code", [], ["code": typed])
    let cases: [(String, String, String)] = [
      ("mistyped", text.replacing("000G", with: "000H"), "mistyped"),
      ("too-short", String(text.dropLast()), "malformed"),
      ("with-another-pin", text.replacing("0BTN", with: "0BTM"), "mistyped"),
      ("without-a-pin", "INVITE1-000G-40R4-0M30-E209-185G-R38E-1YEY-NC5C", "malformed"),
      ("with-the-prefix-of-a-vault-key", text.replacing("INVITE1", with: "COFFER1"), "malformed"),
      ("that-is-a-vault-key", SampleObjects.vaultKeyText, "malformed"),
    ]
    for (name, text, code) in cases {
      try add("invitation-code-\(name)", "invitation code", [], ["code": text], expect: code)
    }
    try add(
      "vault-key-that-is-an-invitation-code", "vault key", [], ["text": text], expect: "malformed")
  }

  private mutating func addPairingTokens() throws {
    let code = SampleObjects.invitationCodeText
    func token(_ address: String, check: String? = nil) -> String {
      let checksum = hexadecimal(Hash.digest(Array(address.utf8), domain: .pairingCheck).bytes.prefix(4))
      return "PAIR1.\(code).\(check ?? checksum).\(address)"
    }
    let text = token("jane@nas.local:coffer.git")
    try add("pairing-token", "pairing token", [], ["token": text])
    let pasted = "  pair1.\(text.dropFirst(6).prefix(70))\r\n\t\(text.dropFirst(76)) \n"
    try add("pairing-token-as-pasted", "pairing token", [], ["token": pasted])
    try add("pairing-token-of-a-path", "pairing token", [], ["token": token("/media/jane/USB-Stick Büro/coffer.git")])
    let cases: [(String, String, String)] = [
      ("with-another-address", text.replacing("nas", with: "nsa"), "mistyped"),
      ("with-another-code", text.replacing("000G", with: "000H"), "mistyped"),
      ("without-an-address", token(""), "malformed"), ("without-a-checksum", "PAIR1.\(code)", "malformed"),
      ("with-an-escape", token("host:\u{1b}[2J"), "malformed"),
      ("of-a-later-version", "PAIR2\(text.dropFirst(5))", "malformed"),
      ("with-a-huge-address", token(String(repeating: "a", count: 4_097)), "malformed"),
      ("that-is-a-code", code, "malformed"),
    ]
    for (name, text, error) in cases {
      try add("pairing-token-\(name)", "pairing token", [], ["token": text], expect: error)
    }
  }

  private mutating func addInvitationRequests() throws {
    let code = ["code": SampleObjects.invitationCodeText]
    let key = try fixture.invitationCode().key
    let request = fixture.invitationRequest
    let file = request.sealed(under: key)
    try add("invitation-request", "invitation request", file, code)
    let other = unsafe InvitationCode.random(for: request.genesis).text.withBytes {
      unsafe String(decoding: $0, as: UTF8.self)
    }
    try add("invitation-request-of-another-code", "invitation request", file, ["code": other], expect: "doesNotOpen")
    try add(
      "invitation-request-altered", "invitation request", altered(file, at: 500, to: ~file[500]), code,
      expect: "doesNotOpen")
    func sealed(
      _ object: [UInt8], as content: Envelope.Content = .invitationRequest, generation: UInt32 = 0
    ) -> [UInt8] {
      Envelope(sealing: object, as: content, key: key.request, generation: generation).bytes
    }
    let unnamed = InvitationRequest(
      genesis: request.genesis, nonce: request.nonce, keys: request.keys, deliveryKey: request.deliveryKey,
      name: "two\u{2028}lines")
    let cases: [(String, [UInt8], String)] = [
      ("as-an-answer", altered(file, at: 5, to: 7), "invalidValue"),
      ("with-a-generation", sealed(request.bytes, generation: 1), "invalidValue"),
      ("too-large", sealed([UInt8](repeating: 0, count: 5000)), "tooLarge"),
      ("truncated", sealed(request.bytes.dropLast()), "truncated"),
      ("trailing-byte", sealed(request.bytes + [0]), "trailingBytes"),
      ("newer-version", sealed(altered(request.bytes, at: 4, to: 2)), "unsupportedVersion"),
      ("name-of-two-lines", sealed(unnamed.bytes), "invalidValue"),
    ]
    for (name, bytes, expected) in cases {
      try add("invitation-request-\(name)", "invitation request", bytes, code, expect: expected)
    }
  }

  private mutating func addInvitationAnswers() throws {
    let key = try fixture.invitationCode().key
    let request = fixture.invitationRequest.hash
    let inputs = [
      "code": SampleObjects.invitationCodeText, "request": request.hex,
      "device's secret keys": hex(fixture.device.secret),
    ]
    let answer = try fixture.invitationAnswer()
    let file = answer.sealed(for: request, under: key)
    try add("invitation-answer", "invitation answer", file, inputs)
    for refusal in InvitationAnswer.Refusal.allCases {
      let refused = InvitationAnswer(genesis: fixture.genesis.hash, outcome: .refused(refusal))
      try add(
        "invitation-answer-refusal-\(refusal.rawValue)", "invitation answer", refused.sealed(for: request, under: key),
        inputs)
    }
    try add(
      "invitation-answer-to-another-request", "invitation answer", file,
      inputs.merging(["request": fixture.genesis.hash.raw.hex]) { $1 }, expect: "doesNotOpen")
    try add(
      "invitation-answer-altered", "invitation answer", altered(file, at: 500, to: ~file[500]), inputs,
      expect: "doesNotOpen")
    func sealed(_ object: [UInt8], key: SymmetricKey? = nil) throws -> [UInt8] {
      let own = try fixture.invitationCode().key.answer
      return Envelope(
        sealing: object, as: .invitationAnswer, key: key ?? own, generation: 0, binding: request.bytes
      ).bytes
    }
    let bytes = answer.bytes
    // kind 5, genesis 32, outcome 1, position 40, generations 8, box 80.
    let cases: [(String, [UInt8], String)] = [
      ("under-the-key-of-requests", try sealed(bytes, key: key.request), "doesNotOpen"),
      ("without-a-root", try sealed(altered(bytes, at: 81, to: 0)), "invalidValue"),
      ("of-another-outcome", try sealed(altered(bytes, at: 37, to: 3)), "invalidValue"),
      ("refusal-unknown", try sealed(Array(bytes[..<37]) + [2, 5]), "invalidValue"),
      ("truncated", try sealed(bytes.dropLast()), "truncated"),
      ("trailing-byte", try sealed(bytes + [0]), "trailingBytes"),
    ]
    for (name, bytes, expected) in cases {
      try add("invitation-answer-\(name)", "invitation answer", bytes, inputs, expect: expected)
    }
    let otherDevice = ["device's secret keys": hex(fixture.principal.secret)]
    try add(
      "invitation-answer-for-another-machine", "invitation answer", file, inputs.merging(otherDevice) { $1 },
      expect: "authenticationFailed")
  }
}
