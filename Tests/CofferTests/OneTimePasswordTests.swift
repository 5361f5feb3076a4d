import Coffer
import CofferOneTimeCodes
import CofferTestSupport
import CofferVault
import Foundation
import Testing

/// One-time codes: the vectors of RFC 4226 and RFC 6238, the addresses that services show, and items that have a seed.
@Suite struct OneTimePasswordTests {
  private static let base32 = "GEZDGNBVGY3TQOJQ"

  /// The seed of the vectors, "1234567890" again and again, with a number of bytes.
  private func seed(_ count: Int) -> String {
    let digits = (0..<count).map { UInt8(ascii: "0") + UInt8(($0 + 1) % 10) }
    let bits = digits.map { byte in String(byte, radix: 2).leftPadded(to: 8) }.joined()
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    return stride(from: 0, to: bits.count, by: 5).map { start in
      let group = bits.dropFirst(start).prefix(5)
      return String(alphabet[Int(group + String(repeating: "0", count: 5 - group.count), radix: 2) ?? 0])
    }.joined()
  }

  @Test func `Codes by counter are those of RFC 4226`() throws {
    let password = try OneTimePassword(seed: seed(20))
    let codes = ["755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489"]
    #expect((0..<10).map { password.code(counter: $0) } == codes)
  }

  @Test(arguments: [
    (59, "94287082", "46119246", "90693936"), (1_111_111_109, "07081804", "68084774", "25091201"),
    (1_111_111_111, "14050471", "67062674", "99943326"), (1_234_567_890, "89005924", "91819424", "93441116"),
    (2_000_000_000, "69279037", "90698825", "38618901"), (20_000_000_000, "65353130", "77737706", "47863826"),
  ])
  func `Codes by time are those of RFC 6238`(time: Int, sha1: String, sha256: String, sha512: String) throws {
    for (algorithm, count, code) in [
      (OneTimePassword.Algorithm.sha1, 20, sha1), (.sha256, 32, sha256), (.sha512, 64, sha512),
    ] {
      let password = try OneTimePassword(seed: seed(count), algorithm: algorithm, digitCount: 8)
      let found = password.code(at: Date(timeIntervalSince1970: Double(time)))
      #expect(found.text == code)
      #expect(found.validFrom == Date(timeIntervalSince1970: Double(time / 30 * 30)))
      #expect(found.validUntil.timeIntervalSince(found.validFrom) == 30)
      #expect(found.secondsLeft(at: Date(timeIntervalSince1970: Double(time))) == 30 - time % 30)
      #expect(found.secondsLeft(at: found.validUntil) == 0)
    }
  }

  @Test func `Random seeds have the codes of oathtool at random times`() throws {
    var random = SeededGenerator(seed: SeededGenerator.runSeed)
    for _ in 0..<40 {
      let algorithm = random.pick(OneTimePassword.Algorithm.allCases)
      let digits = Int.random(in: OneTimePassword.digitCounts, using: &random)
      let period = random.pick([1, 7, 30, 60, 86_400])
      let time = Int.random(in: 0..<40_000_000_000, using: &random)
      let uri = try OneTimePassword(
        seed: seed(Int.random(in: 10...80, using: &random)), algorithm: algorithm, digitCount: digits, period: period)
      let text = try #require(uri.uri.firstMatch(of: /secret=([A-Z2-7]+)/)?.output.1)
      let expected = try Command.run(
        "oathtool", "--totp=\(algorithm.rawValue.lowercased())", "--digits=\(digits)", "--time-step-size=\(period)s",
        "--now=@\(time)", "--base32", String(text))
      #expect(
        uri.code(at: Date(timeIntervalSince1970: Double(time))).text == expected, "\(uri.uri) at \(time), \(random)")
    }
  }

  @Test func `Times before 1970 and beyond all calendars have a code`() throws {
    let password = try OneTimePassword(seed: Self.base32)
    #expect(password.code(at: .distantPast).text == password.code(counter: 0))
    #expect(password.code(at: Date(timeIntervalSince1970: -1)).text == password.code(counter: 0))
    #expect(password.code(at: Date(timeIntervalSince1970: .greatestFiniteMagnitude)).text.count == 6)
    #expect(password.code(at: Date(timeIntervalSince1970: .infinity)).text.count == 6)
    #expect(password.code(at: Date(timeIntervalSince1970: .nan)).text == password.code(counter: 0))
    let code = password.code()
    #expect(code.secondsLeft(at: Date(timeIntervalSinceReferenceDate: .nan)) == 0)
    #expect(code.secondsLeft(at: Date(timeIntervalSinceReferenceDate: .infinity)) == 0)
    #expect(code.secondsLeft(at: Date(timeIntervalSinceReferenceDate: -.infinity)) == 1_000_000_000_000_000)
  }

  @Test func `A seed is read as people copy it`() throws {
    let expected = try OneTimePassword(seed: "JBSWY3DPEHPK3PXP").uri
    for text in ["jbsw y3dp ehpk 3pxp", "JBSW-Y3DP-EHPK-3PXP", " JBSWY3DPEHPK3PXP\n"] {
      #expect(try OneTimePassword(seed: text).uri == expected)
    }
    // The vectors of RFC 4648, and bits that belong to no byte.
    for (text, canonical) in [("MY======", "MY"), ("MZXQ====", "MZXQ"), ("MZXW6YTB", "MZXW6YTB"), ("MZ", "MY")] {
      #expect(try OneTimePassword(seed: text).uri.contains("secret=\(canonical)&"))
    }
    for text in ["", "A", "ABC", "ABCDEF", "MY=X", "0189", "ÄÖ", String(repeating: "A", count: 1_648)] {
      #expect(throws: VaultError.self) { try OneTimePassword(seed: text) }
    }
    for (digits, period) in [(5, 30), (9, 30), (6, 0), (6, -30), (6, 1_000_001)] {
      #expect(throws: VaultError.self) { try OneTimePassword(seed: "MY", digitCount: digits, period: period) }
    }
  }

  @Test func `An address is read with all its parameters, and written in one form`() throws {
    let full = "otpauth://totp/ACME%20Co:jane%40example.com?secret=JBSWY3DPEHPK3PXP&issuer=ACME%20Co"
    let password = try OneTimePassword(uri: full + "&algorithm=SHA512&digits=8&period=60&image=https%3A%2F%2Fx")
    #expect(password.issuer == "ACME Co" && password.account == "jane@example.com")
    #expect(password.algorithm == .sha512 && password.digitCount == 8 && password.period == 60)
    #expect(password.uri == full + "&algorithm=SHA512&digits=8&period=60")
    #expect(try OneTimePassword(uri: password.uri) == password)
    let short = try OneTimePassword(uri: "OTPAUTH://totp/Example:jane?SECRET=jbswy3dpehpk3pxp&algorithm=sha-256")
    #expect(short.issuer == "Example" && short.account == "jane" && short.algorithm == .sha256)
    #expect(short.digitCount == 6 && short.period == 30)
    #expect(try OneTimePassword(uri: "otpauth://totp/?secret=MY").account == "")
  }

  @Test(arguments: [("X:Y", "jane"), ("X", "a:b"), ("", "a:b"), ("", ":"), ("A B", ""), ("", "jane"), ("X:", "X:a")])
  func `Names with a colon are read again as they were written`(issuer: String, account: String) throws {
    let password = try OneTimePassword(seed: "MY", issuer: issuer, account: account)
    #expect(try OneTimePassword(uri: password.uri) == password, "\(password.uri)")
  }

  @Test func `Labels of services are read with and without an issuer`() throws {
    for (label, parameter, issuer, account) in [
      ("ACME%3Ajane", "", "ACME", "jane"), ("ACME:%20jane", "", "ACME", "jane"), ("jane", "", "", "jane"),
      ("ACME%3Ajane", "&issuer=ACME", "ACME", "jane"), ("Acme:jane", "&issuer=ACME%20Inc", "ACME Inc", "jane"),
      ("X:Y:jane", "&issuer=X:Y", "X:Y", "jane"), ("ACME:jane", "&issuer=", "ACME", "jane"),
    ] {
      let password = try OneTimePassword(uri: "otpauth://totp/\(label)?secret=MY\(parameter)")
      #expect(password.issuer == issuer && password.account == account, "\(label) \(parameter)")
    }
  }

  @Test func `A seed whose address would be too long to be read again is refused`() throws {
    let name = String(repeating: "é", count: 400)
    #expect(throws: VaultError.self) { try OneTimePassword(seed: "MY", issuer: name) }
    #expect(throws: VaultError.self) { try OneTimePassword(seed: "MY", account: name + name) }
    let password = try OneTimePassword(seed: "MY", account: name)
    #expect(try OneTimePassword(uri: password.uri) == password)
  }

  @Test(arguments: [
    "", "s3cret", "https://totp/x?secret=MY", "otpauth:totp", "otpauth://totp/x", "otpauth://totp/x?secret=",
    "otpauth://totp/x?secret=1", "otpauth://hotp/x?secret=MY&counter=1", "otpauth://steam/x?secret=MY",
    "otpauth://totp/x?secret=MY&encoder=steam", "otpauth://totp/x?secret=MY&secret=MZ",
    "otpauth://totp/x?secret=MY&digits=5", "otpauth://totp/x?secret=MY&digits=six",
    "otpauth://totp/x?secret=MY&period=0", "otpauth://totp/x?secret=MY&algorithm=MD5",
    "otpauth-migration://offline?data=AA",
  ])
  func `Another address is refused, and the error does not repeat it`(uri: String) throws {
    let error = #expect(throws: VaultError.self) { try OneTimePassword(uri: uri) }
    #expect(error?.code == .invalidArgument && error?.recoverySuggestion != nil)
    #expect(uri.isEmpty || error?.description.contains(uri) == false)
  }

  @Test func `An item keeps its seed when its value is replaced, and no description shows it`() throws {
    let vault = try Vault.inMemory(entitlements: .bytes(TemporaryVault.plist("com.example.one")))
    var password = GenericPassword(service: "github.com", account: "jane")
    password.oneTimePassword = try OneTimePassword(seed: Self.base32, issuer: "GitHub", account: "jane")
    try vault.set("first", for: password)
    try vault.set("second", for: GenericPassword(service: "github.com", account: "jane", label: "Work"))
    let stored = try #require(try vault.storedItem(for: password))
    #expect(stored.item.oneTimePassword == password.oneTimePassword && stored.label == "Work")
    let time = Date(timeIntervalSince1970: 59)
    #expect(stored.oneTimeCode(at: time)?.text == password.oneTimePassword?.code(at: time).text)
    #expect(stored.item.oneTimeCode(at: time) == stored.oneTimeCode(at: time))
    var dumped = ""
    dump(password.oneTimePassword, to: &dumped)
    for text in ["\(stored)", "\(stored.item)", "\(String(describing: password.oneTimePassword))", dumped] {
      #expect(!text.contains(Self.base32) && !text.contains("otpauth"), "\(text)")
    }
    try vault.update(password) { $0.oneTimePassword = nil }
    #expect(try vault.storedItem(for: password)?.oneTimeCode() == nil)
    #expect(try vault.string(for: password) == "second")
  }
}

extension String {
  fileprivate func leftPadded(to width: Int) -> String { String(repeating: "0", count: width - count) + self }
}
