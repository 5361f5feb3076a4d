import CofferTestSupport
import CofferX509
import Foundation
import Testing

@Suite struct HostileCertificateTests {
  @Test(arguments: SampleCertificates.all)
  func `A truncated certificate is refused`(fixture: [UInt8]) {
    for length in fixture.indices {
      #expect(refusal(Array(fixture.prefix(length))) == .malformed, "\(length) bytes")
    }
  }

  @Test(arguments: SampleCertificates.all)
  func `A certificate with any bit flipped is read or refused, never a trap`(fixture: [UInt8]) throws {
    var read = 0
    var refused = 0
    let places = TestRun.rows(Array(fixture.indices), ordinarily: 150)
    for index in places {
      for mask: UInt8 in [1, 2, 4, 8, 16, 32, 64, 128, 255] {
        var changed = fixture
        changed[index] ^= mask
        if try use(changed) { read += 1 } else { refused += 1 }
      }
    }
    // The reader does not check a key or signature, so a flipped bit there is accepted; one in a length is not.
    #expect(read > places.count)
    #expect(refused > places.count)
  }

  @Test(arguments: SampleCertificates.all)
  func `A removed or inserted byte is never a trap`(fixture: [UInt8]) throws {
    for index in fixture.indices {
      var changed = fixture
      changed.remove(at: index)
      #expect(try !use(changed))
      changed = fixture
      changed.insert(0, at: index)
      #expect(try !use(changed))
    }
  }

  @Test func `A certificate followed by a byte is refused`() {
    #expect(refusal(SampleCertificates.mail + [0]) == .malformed)
    #expect(refusal(SampleCertificates.mail + SampleCertificates.mail) == .malformed)
  }

  @Test func `The longest certificate is read, and a longer one is too large`() throws {
    var draft = CertificateDraft()
    draft.extensions = [CertificateDraft.extension(99, [])]
    // The lengths of the enclosing values grow by ten bytes in all.
    let room = X509Certificate.maximumByteCount - draft.der.count
    let padding = (room - 20...room).first { count in
      draft.extensions = [CertificateDraft.extension(99, Array(repeating: 0, count: count))]
      return draft.der.count == X509Certificate.maximumByteCount
    }
    #expect(padding != nil)
    _ = try X509Certificate(der: draft.der)
    draft.extensions = [CertificateDraft.extension(99, Array(repeating: 0, count: try #require(padding) + 1))]
    #expect(refusal(draft.der) == .tooLarge)
  }

  @Test func `Unlimited nesting is refused`() {
    var open: [UInt8] = []
    var length = X509Certificate.maximumByteCount
    while length > 8 {
      length -= 4
      open += [0x30, 0x82, UInt8(length >> 8), UInt8(length & 0xFF)]
    }
    #expect(refusal(open) == .malformed)
    var closed: [UInt8] = []
    for _ in 0..<1000 { closed = tlv(0x30, closed) }
    #expect(refusal(closed) == .malformed)
  }

  @Test func `Thousands of fields, names and extensions are refused or read in reasonable time`() throws {
    let many = Array(repeating: [5, 0] as [UInt8], count: 30_000).flatMap { $0 }
    #expect(refusal(tlv(0x30, many)) == .malformed)
    var draft = CertificateDraft()
    draft.subject = tlv(0x30, (0..<4000).flatMap { _ in tlv(0x31, attribute([0], tlv(0x0C, [0x61]))) })
    #expect(try X509Certificate(der: draft.der).subjectName.texts.count == 4000)
    draft = CertificateDraft()
    draft.extensions = (0..<4000).map { number in
      tlv(0x30, tlv(0x06, [0x55, 0x81 + UInt8(number / 128), UInt8(number % 128)]) + tlv(0x04, []))
    }
    _ = try X509Certificate(der: draft.der)
  }

  @Test(
    arguments: [
      [], [0], [0x30], [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], [0x30, 0x88] + Array(repeating: 0xFF, count: 8),
      [0x30, 0x89] + Array(repeating: 1, count: 9), [0x30, 0x80, 0, 0], [0x3F] + Array(repeating: 0xFF, count: 20),
      [0x1F, 0x80, 0], [0x30, 0xFF],
    ] as [[UInt8]])
  func `Invalid lengths and tags are refused`(bytes: [UInt8]) {
    #expect(refusal(bytes) == .malformed)
  }

  @Test func `An error describes the problem without quoting the bytes`() {
    var draft = CertificateDraft()
    draft.notAfter = utf8String("canary")
    do {
      _ = try X509Certificate(der: draft.der)
      Issue.record("read a certificate without an end")
    } catch {
      #expect(error.description == "the end of the validity is not a valid time")
      #expect(!"\(error)".contains("canary"))
    }
  }

  private func refusal(_ bytes: [UInt8]) -> CertificateError.Code? {
    do {
      _ = try X509Certificate(der: bytes)
      return nil
    } catch {
      return error.code
    }
  }

  /// Reads the bytes and, if they are a certificate, everything derived from them.
  private func use(_ bytes: [UInt8]) throws -> Bool {
    guard refusal(bytes) == nil else { return false }
    let certificate = try X509Certificate(der: bytes)
    #expect(certificate.der == bytes)
    #expect((1...3).contains(certificate.version))
    #expect(certificate.publicKeyHash.count == 20)
    #expect(try DistinguishedName(der: certificate.subject) == certificate.subjectName)
    #expect(
      try DistinguishedName(der: certificate.normalizedIssuerSequence).normalizedContent == certificate.normalizedIssuer
    )
    _ = (certificate.subjectSummary, certificate.commonName, certificate.emailAddresses, certificate.dnsNames)
    return true
  }
}
