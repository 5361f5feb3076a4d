import CofferCrypto
import CofferFormatSamples
import CofferKeys

@testable import CofferFormat

extension VectorCatalog {
  /// Machines that may only read, and the file with which one does.
  mutating func addReadOnlyMachines() throws {
    let entry = try fixture.entries()[1]
    func body(expires: Timestamp, name: String) -> [UInt8] {
      Statement.device(
        DeviceStatement(keys: fixture.device.publicKeys, role: .readOnly(expires: expires), name: name)
      ).body
    }
    let time = fixture.time
    let readOnly = body(expires: time, name: "ci")
    let cases: [(String, [UInt8], String)] = [
      ("read-only-device-for-ever", body(expires: Timestamp(microseconds: .max), name: "ci"), "accept"),
      ("read-only-device-without-a-name", body(expires: time, name: ""), "invalidValue"),
      ("read-only-device-name-with-escape", body(expires: time, name: "\u{1b}[2J"), "invalidValue"),
      ("read-only-device-truncated", readOnly.dropLast(), "truncated"),
      ("read-only-device-trailing-byte", readOnly + [0], "trailingBytes"),
    ]
    for (name, body, code) in cases {
      let bytes = signed(entry: entry, kind: 9, isCritical: true, body: body)
      try add("log-\(name)", "log entry", bytes, inputs(of: fixture.admin), expect: code)
    }
    try addHeadlessCredentials()
  }

  private mutating func addHeadlessCredentials() throws {
    let credential = fixture.headlessCredential
    let bytes = credential.secretBytes()
    func add(_ name: String, _ text: [UInt8], expect code: String = "accept") throws {
      try self.add("headless-credential\(name)", "headless credential", text, expect: code)
    }
    let text = credential.secretText()
    try add("", text)
    let lines = text.split(separator: UInt8(ascii: "\n"))
    // As systems that keep secrets hand it out: other line ends, none at the end, all in one line.
    try add("-with-returns", Array(lines.joined(separator: Array("\r\n".utf8))))
    try add("-in-one-line", Array(" \t".utf8) + lines.joined(separator: Array(" ".utf8)))
    try add("-without-its-last-line", Array(lines.dropLast().joined(separator: [10])), expect: "truncated")
    try add("-without-its-first-line", Array(lines.dropFirst().joined(separator: [10])), expect: "otherKind")
    try add("-empty", [], expect: "otherKind")
    try add("-in-bytes", bytes, expect: "otherKind")
    var other = lines.map(Array.init)
    other[1][0] = UInt8(ascii: "!")
    try add("-not-in-base64", Array(other.joined(separator: [10])), expect: "invalidValue")
    var missing = lines.map(Array.init)
    missing[1].removeLast()
    try add("-without-a-character", Array(missing.joined(separator: [10])), expect: "invalidValue")
    func wrapped(_ object: [UInt8]) -> [UInt8] {
      Array("-----BEGIN COFFER CREDENTIAL-----\n".utf8) + Base64.encode(object)
        + Array("\n-----END COFFER CREDENTIAL-----\n".utf8)
    }
    try add("-on-one-line", wrapped(bytes))
    try add("-truncated", wrapped(bytes.dropLast()), expect: "truncated")
    try add("-trailing-byte", wrapped(bytes + [0]), expect: "trailingBytes")
    try add("-newer-version", wrapped(altered(bytes, at: 4, to: 2)), expect: "unsupportedVersion")
    try add("-of-another-kind", wrapped(fixture.deviceFile.secretBytes()), expect: "otherKind")
    let (device, seen, apps) = (credential.device, credential.seen, credential.apps)
    let principal = fixture.principal
    let many = (0..<65).map { HeadlessCredential.App(applicationID: "\($0)", keys: principal) }
    let cases: [(String, [HeadlessCredential.App], String)] = [
      ("-without-apps", [], "invalidValue"), ("-with-an-app-twice", apps + [apps[0]], "invalidValue"),
      ("-with-65-apps", many, "tooLarge"), ("-with-64-apps", Array(many.dropLast()), "accept"),
    ]
    for (name, apps, code) in cases {
      try add(name, HeadlessCredential(device: device, seen: seen, apps: apps).secretText(), expect: code)
    }
  }
}
