import CofferTestSupport
import Foundation
import Testing

/// Values that a protocol cannot carry are refused by name; all others arrive as they are.
@Suite struct BridgeValueTests {
  private enum Expected: Sendable {
    /// The value arrives, byte for byte.
    case kept
    /// The client gets an error with the words, and no part of the value.
    case refused(String)
  }

  /// A way to ask for a value, and how to read it from the answer.
  private struct Way: Sendable {
    let bridge: String
    let arguments: [String]
    var input = ""
    let service: String
    let account: String
    let read: @Sendable (Data) throws -> Data
    /// What is expected of a value with newlines, with a NUL, of 1 MB, and of one that is not UTF-8.
    let expected: [Expected]
  }

  private static func text(_ key: String) -> @Sendable (Data) throws -> Data {
    { data in
      // cargo's answer follows another line.
      let lines = data.split(separator: 10)
      let isWhole = (try? JSONSerialization.jsonObject(with: data)) != nil
      let whole = try JSONSerialization.jsonObject(with: isWhole ? data : lines.last ?? data)
      let object = try #require(whole as? [String: Any])
      let inner = object["Ok"] as? [String: Any] ?? object["status"] as? [String: Any] ?? object
      return Data(try #require(inner[key] as? String).utf8)
    }
  }

  private static func line(after prefix: String = "") -> @Sendable (Data) throws -> Data {
    { data in
      let start = try #require(prefix.isEmpty ? data.startIndex : data.firstRange(of: Data(prefix.utf8))?.upperBound)
      #expect(data.last == 10)
      return Data(data[start...].dropLast())
    }
  }

  private static let cargo =
    "{\"v\":1,\"registry\":{\"index-url\":\"sparse+https://x/\"},\"kind\":\"get\",\"operation\":\"read\",\"args\":[]}\n"

  private static let ways: [Way] = [
    Way(
      bridge: "git", arguments: ["get"], input: "protocol=https\nhost=example.com\n\n",
      service: "example.com", account: "u", read: line(after: "\npassword="),
      expected: [.refused("several lines"), .refused("control characters"), .refused("more than 64 KiB"), .kept]),
    Way(
      bridge: "docker", arguments: ["get"], input: "registry.example.com", service: "registry.example.com",
      account: "u",
      read: text("Secret"), expected: [.kept, .kept, .kept, .refused("the value is not UTF-8 text")]),
    Way(
      bridge: "keyring", arguments: ["get", "s", "u"], service: "s", account: "u", read: line(),
      expected: [.kept, .kept, .kept, .kept]),
    Way(
      bridge: "keyring", arguments: ["get", "s", "u", "--mode", "creds"], service: "s", account: "u",
      read: line(after: "u\n"),
      expected: [
        .refused("the value of s, u has several lines, which the program keyring cannot take"),
        .refused("the value of s, u has a NUL"), .kept, .kept,
      ]),
    Way(
      bridge: "keyring", arguments: ["get", "s", "u", "--output", "json"], service: "s", account: "u",
      read: text("password"),
      expected: [
        .kept, .kept, .kept, .refused("the value of s, u is not UTF-8, which the program keyring cannot take"),
      ]),
    Way(
      bridge: "cargo", arguments: ["--cargo-plugin"], input: cargo, service: "sparse+https://x/", account: "cargo",
      read: text("token"),
      expected: [
        .refused("the value of sparse+https://x/, cargo has several lines, which cargo cannot take"),
        .refused("has a NUL"), .kept, .refused("is not UTF-8"),
      ]),
    Way(
      bridge: "aws", arguments: ["default"], service: "aws", account: "default", read: text("SecretAccessKey"),
      expected: [
        .refused("the value of aws, default has spaces or control characters in a key, which AWS cannot take"),
        .refused("has spaces or control characters in a key"), .kept, .refused("is not UTF-8"),
      ]),
    Way(
      bridge: "kubectl", arguments: ["u"], service: "kubectl", account: "u", read: text("token"),
      expected: [
        .refused("the value of kubectl, u has several lines, which kubectl cannot take"), .refused("has a NUL"), .kept,
        .refused("is not UTF-8"),
      ]),
    Way(
      bridge: "ansible", arguments: [], service: "ansible-vault", account: "default", read: { $0 },
      expected: [.kept, .kept, .kept, .kept]),
    Way(
      bridge: "ssh-askpass", arguments: ["Enter passphrase for key '/k': "], service: "ssh", account: "/k",
      read: line(),
      expected: [
        .refused("the value of ssh, /k has several lines, which ssh cannot take"), .refused("has a NUL"),
        .refused("has more than 1022 bytes"), .kept,
      ]),
  ]

  @Test func `Newlines, a NUL, 1 MB and bytes that are no text are kept or refused as each protocol demands`() throws {
    let scene = try BridgeScene()
    let values: [(name: String, value: Data)] = [
      ("newlines", Data("one\ntwo".utf8)), ("NUL", Data("one\0two".utf8)),
      ("1 MB", Data(repeating: UInt8(ascii: "a"), count: 1_000_000)), ("not UTF-8", Data([0x61, 0xff, 0xfe, 0x62])),
    ]
    for way in Self.ways {
      for (value, expected) in zip(values, way.expected) {
        let place = "\(way.bridge) \(way.arguments), \(value.name)"
        try store(value.value, for: way, in: scene)
        let outcome = try scene.machine.start(
          "coffer", ["bridge", way.bridge] + way.arguments, input: Data(way.input.utf8)
        )
        .wait()
        switch expected {
        case .kept:
          #expect(outcome.exitCode == 0, "\(place): \(outcome.errors)")
          let read = try way.read(outcome.output)
          #expect(read == value.value, "\(place): \(read.count) bytes")
        case .refused(let words):
          // cargo and docker read errors from standard output.
          #expect((outcome.errors + outcome.text).contains(words), "\(place): \(outcome)")
          #expect(!(outcome.errors + outcome.text).contains("two"), "\(place)")
          #expect(way.bridge == "cargo" || outcome.exitCode != 0, "\(place)")
        }
      }
    }
  }

  private func store(_ value: Data, for way: Way, in scene: BridgeScene) throws {
    switch way.bridge {
    case "git":
      // An item with git's protocol, whose value is then replaced.
      _ = try scene.answer(
        "git", "store", input: Data("protocol=https\nhost=\(way.service)\nusername=u\npassword=p\n".utf8))
      let outcome = try scene.machine.start(
        "coffer", ["set", way.service, way.account, "--class", "internet-password"], input: value
      ).wait()
      #expect(outcome.exitCode == 0, "\(outcome)")
    case "docker":
      _ = try scene.answer(
        "docker", "store",
        input: Data("{\"ServerURL\":\"\(way.service)\",\"Username\":\"u\",\"Secret\":\"p\"}".utf8))
      try scene.set(way.service, way.account, value)
    case "aws":
      // Escapes of JSON, in which no other bytes can be.
      var json = Data("{\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"".utf8)
      json += value.flatMap { $0 < 32 ? Array("\\u00\(String(format: "%02x", $0))".utf8) : [$0] }
      try scene.set(way.service, way.account, json + Data("\"}".utf8))
    default: try scene.set(way.service, way.account, value)
    }
  }
}
