import CofferAgent
import CofferCrypto
import CofferFormat
import CofferFuzzing
import CofferOpenSSL

@testable import CofferExchange
@testable import CofferPrompt

/// What crosses the socket of the agent, what a dialog program answers, the paths in a repository, and PKCS #12 files.
enum OtherTargets {
  static let all = [agentRequest, agentResponse, assuan, remotePath, pkcs12]

  /// What any program of the user can send to the agent.
  private static let agentRequest = FuzzTarget(
    "agent-request", maximumByteCount: 512,
    seeds: {
      let (author, group) = (AuthorID(.zero), GroupID(.zero))
      let deposit = AgentDeposit(
        folder: "/v", author: author, secret: unsafe SecretBytes(count: 64) { _ in }, idleSeconds: 600, confirms: true,
        leased: [group], purpose: .show)
      let requests: [AgentRequest] = [
        .open(AgentOpening(folder: "/v", author: author, groups: [group], purpose: .show, reason: "why")),
        .groupKeys(group),
        .keep(deposit), .lock, .status,
      ]
      return requests.map { bytes(of: $0.packet()) }
    },
    check: { bytes in
      guard let request = try? AgentRequest(packet: SecretText(copying: bytes)) else { return }
      try require(Self.bytes(of: request.packet()) == bytes, "a request is written as other bytes")
    })

  /// What another program that listens in the agent's place can answer.
  private static let agentResponse = FuzzTarget(
    "agent-response", maximumByteCount: 512,
    seeds: {
      let secret = unsafe SecretBytes(count: 64) { _ in }
      let responses: [AgentResponse] = [
        .done(1), .opened, .secrets([1: secret, 2: secret], verificationKey: unsafe SecretBytes(count: 32) { _ in }),
        .refused(.locked, message: "why"), .refused(.otherApp, message: "why\nwhat"), .asking, .status([123, 125]),
      ]
      return responses.map { bytes(of: $0.packet()) }
    },
    check: { bytes in
      guard let response = try? AgentResponse(packet: SecretText(copying: bytes)) else { return }
      try require(Self.bytes(of: response.packet()) == bytes, "an answer is written as other bytes")
    })

  private static func bytes(of packet: SecretText) -> [UInt8] {
    unsafe packet.withBytes { unsafe Array($0) }
  }

  private static let assuan = FuzzTarget(
    "assuan", maximumByteCount: 128,
    seeds: {
      ["OK ready", "D se%25sa%0Am", "ERR 83886179 Operation cancelled", "S x", "# c"].map { Array($0.utf8) }
    },
    check: { line in
      guard case .data(let range) = AssuanLine(line) else { return }
      try require(range.upperBound == line.count && range.lowerBound >= min(2, line.count), "other bytes: \(range)")
      guard let data = Self.data(of: line, range) else { return }
      try require(data.count <= range.count, "more bytes than were sent")
      // The same bytes, each of them escaped.
      let digits = Array("0123456789abcdef".utf8)
      let escaped = Array("D ".utf8) + data.flatMap { [UInt8(ascii: "%"), digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
      try require(
        AssuanLine(escaped) == .data(2..<escaped.count) && Self.data(of: escaped, 2..<escaped.count) == data,
        "escaped bytes are read as others")
      if let text = String(validating: data, as: UTF8.self), text.unicodeScalars.count <= 240 {
        let sent = Array("D \(AssuanLine.escaped(text))".utf8)
        try require(!sent.contains(10) && !sent.contains(13), "a text sends two lines")
        try require(Self.data(of: sent, 2..<sent.count) == data, "a text is read as another")
      }
    })

  /// Returns the data in a line, or nil if it is malformed.
  private static func data(of line: [UInt8], _ range: Range<Int>) -> [UInt8]? {
    var isRead = false
    let secret = SecretText(capacity: 1024) { isRead = AssuanLine.append(range, of: line, to: &$0) }
    return isRead ? unsafe secret.withBytes { unsafe Array($0) } : nil
  }

  private static let remotePath = FuzzTarget(
    "remote-path", maximumByteCount: 128,
    seeds: {
      let stream = String(repeating: "0f", count: 16)
      let last = "288230376151711743/18446744073709551615"
      return ["genesis", "root", "log/1/64", "segments/\(stream)/0/1", "segments/\(stream)/\(last)"].map {
        Array($0.utf8)
      }
    },
    check: { bytes in
      guard let path = String(validating: bytes, as: UTF8.self), let place = RemoteLayout.Place(path) else { return }
      try require(Array(place.path.utf8) == bytes, "the object has another path, \(place.path)")
      try require(RemoteLayout.Place(place.path) == place, "the path is read as another object")
    })

  /// OpenSSL reads the bytes, and is not instrumented: changes of the committed inputs are tried at random.
  private static let pkcs12 = FuzzTarget(
    "pkcs12", maximumByteCount: 4096,
    check: { bytes in
      let passphrase = SecretText(copying: "sesame".utf8)
      guard let contents = try? PKCS12Contents(reading: bytes, passphrase: passphrase, iterations: 40_000) else {
        return
      }
      for key in contents.keys {
        switch key.material {
        case .p256(let scalar): try require(scalar.count == 32, "a scalar of P-256 with \(scalar.count) bytes")
        case .p384(let scalar): try require(scalar.count == 48, "a scalar of P-384 with \(scalar.count) bytes")
        case .p521(let scalar): try require(scalar.count == 66, "a scalar of P-521 with \(scalar.count) bytes")
        case .rsa(let der): try require(!der.isEmpty, "an RSA key without bytes")
        case .other: break
        }
      }
      let certificates = contents.certificates.map(\.der)
      guard let chains = try? CertificateChains.build(of: certificates, from: []) else { return }
      for (certificate, chain) in zip(certificates, chains) {
        try require(chain.first == certificate, "a chain begins with another certificate")
      }
    })
}
