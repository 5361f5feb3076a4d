import CofferTestSupport
import CofferTrust
import Foundation
import Testing

@Suite struct EntitlementsHostilePlistTests {
  private func code(_ bytes: [UInt8]) throws -> EntitlementsError.Code {
    try #require(throws: EntitlementsError.self) {
      try EntitlementsDocument(bytes: bytes, source: "Hostile.entitlements")
    }.code
  }

  private func code(_ xml: String) throws -> EntitlementsError.Code { try code(Array(xml.utf8)) }

  @Test func `A plist of 64 KiB is read and one byte more is refused`() throws {
    let xml = entitlementsXML(application: "$(AppIdentifierPrefix)com.example.photo")
    let padded = xml + String(repeating: "\n", count: 64 * 1024 - xml.utf8.count)
    #expect(try document(padded).applicationIdentifier == "$(AppIdentifierPrefix)com.example.photo")
    #expect(try code(padded + "\n") == .tooLarge)
  }

  @Test func `An app has at most 64 groups, including its own`() throws {
    let names = (0..<65).map { "$(AppIdentifierPrefix)g\($0)" }
    #expect(try entitlements(entitlementsXML(keychain: Array(names.prefix(63))), bundleID: "a.b").groups.count == 64)
    let withOwn = names.prefix(63) + ["$(AppIdentifierPrefix)a.b"]
    #expect(try entitlements(entitlementsXML(keychain: Array(withOwn)), bundleID: "a.b").groups.count == 64)
    #expect(try refusal(entitlementsXML(keychain: Array(names.prefix(64))), bundleID: "a.b").code == .tooLarge)
    #expect(
      try code(entitlementsXML(keychain: Array(names.prefix(33)), readOnly: Array(names.suffix(32)))) == .tooLarge)
  }

  @Test func `A plist that declares entities is refused, internal and external, before it is parsed`() throws {
    var laughs = "<!ENTITY a0 \"ha\">"
    for level in 1...9 {
      laughs += "<!ENTITY a\(level) \"" + String(repeating: "&a\(level - 1);", count: 10) + "\">"
    }
    let body = "<plist version=\"1.0\"><dict><key>application-identifier</key><string>&a9;</string></dict></plist>"
    for prologue in [
      "<!DOCTYPE plist [\(laughs)]>", "<!DOCTYPE plist []>", "<!DOCTYPE plist [%p;]>",
      "<!DOCTYPE plist [<!ENTITY a9 SYSTEM \"file:///etc/passwd\">]>",
      "<!DOCTYPE plist [<!ENTITY % p SYSTEM \"http://127.0.0.1/p\"> %p;]>", "<!ENTITY a9 \"x\">",
      "<!DOCTYPE plist SYSTEM \">\" [<!ENTITY a9 \"x\">]>", "<!doctype plist [<!entity a9 \"x\">]>",
    ] {
      #expect(try code("<?xml version=\"1.0\"?>" + prologue + body) == .malformed)
    }
    #expect(try code(body) == .malformed)
  }

  @Test func `A key that is almost one of Coffer's is named with the right one when it is registered, and read before`()
    throws
  {
    func refusal(_ key: String) throws -> String {
      let value = key.hasSuffix("groups") ? "<array/>" : "<string>x</string>"
      let bytes = Array(propertyListXML("<dict><key>\(key)</key>\(value)</dict>").utf8)
      // Of a plist in the log, the key is ignored.
      _ = try EntitlementsDocument(bytes: bytes, source: "A")
      do throws(EntitlementsError) {
        try EntitlementsDocument.checkSpelling(ofKeysIn: bytes, source: "A")
        return ""
      } catch {
        return "\(error)"
      }
    }
    for (key, meant) in [
      ("keychain-acces-groups", "keychain-access-groups"), ("Keychain-Access-Group", "keychain-access-groups"),
      ("application-identifer", "application-identifier"),
      ("com.apple.security.application-group", "com.apple.security.application-groups"),
    ] {
      let refused = try refusal(key)
      #expect(refused.contains("\"\(key)\"") && refused.contains("write <key>\(meant)</key>"), "\(refused)")
    }
    for key in [
      "keychain-access-groups", "com.apple.application-identifier", "com.apple.developer.team-identifier",
      "get-task-allow", "com.apple.security.app-sandbox",
    ] { #expect(try refusal(key).isEmpty, "\(key)") }
  }

  @Test func `Nesting beyond 32 levels is refused, in XML and in binary`() throws {
    func nested(_ depth: Int) -> String {
      let arrays = depth - 1
      return propertyListXML(
        "<dict><key>other</key>" + String(repeating: "<array>", count: arrays)
          + String(repeating: "</array>", count: arrays) + "</dict>")
    }
    #expect(try document(nested(32)).applicationIdentifier == nil)
    for depth in [33, 500, 4000] { #expect(try code(nested(depth)) == .malformed) }

    func nestedBinary(_ depth: Int) -> [UInt8] {
      BinaryList.bytes(
        [BinaryList.dictionary(keys: [1], values: [2]), BinaryList.text("other")]
          + (2..<(depth + 1)).map { BinaryList.array([$0 + 1]) } + [BinaryList.text("x")])
    }
    #expect(try EntitlementsDocument(bytes: nestedBinary(32), source: "Deep").applicationIdentifier == nil)
    for depth in [33, 500, 9000] { #expect(try code(nestedBinary(depth)) == .malformed) }
  }

  @Test(.timeLimit(.minutes(120)))
  func `A binary list that expands to more values than fit into memory is refused`() throws {
    let laughs = BinaryList.bytes(
      [BinaryList.dictionary(keys: [1], values: [2]), BinaryList.text("other")]
        + (2..<30).map { BinaryList.array(Array(repeating: $0 + 1, count: 10)) } + [BinaryList.text("x")])
    #expect(try code(laughs) == .malformed)

    let cycle = BinaryList.bytes([
      BinaryList.dictionary(keys: [1], values: [2]), BinaryList.text("other"), BinaryList.array([2]),
    ])
    #expect(try code(cycle) == .malformed)

    let longText = BinaryList.text(String(repeating: "x", count: 20_000))
    let repeated = BinaryList.bytes([
      BinaryList.dictionary(keys: [1], values: [2]), BinaryList.text("keychain-access-groups"),
      BinaryList.array(Array(repeating: 3, count: 15_000)), longText,
    ])
    #expect(try code(repeated) == .malformed)
  }

  @Test func `A duplicate key is refused, in XML and in binary`() throws {
    let list = "<key>keychain-access-groups</key><array/>"
    #expect(try code(propertyListXML("<dict>" + list + list + "</dict>")) == .malformed)
    let escaped = "<key>keychain&#45;access-groups</key><array/>"
    #expect(try code(propertyListXML("<dict>" + list + escaped + "</dict>")) == .malformed)
    let cdata = "<key><![CDATA[keychain-access-groups]]></key><array/>"
    #expect(try code(propertyListXML("<dict>" + cdata + list + "</dict>")) == .malformed)

    let key = BinaryList.text("application-identifier")
    let binary = BinaryList.bytes([
      BinaryList.dictionary(keys: [1, 2], values: [3, 4]), key, key, BinaryList.text("a"), BinaryList.text("b"),
    ])
    #expect(try code(binary) == .malformed)
  }

  @Test func `The error names a duplicate key, and a key without a value`() throws {
    let list = "<key>keychain-access-groups</key><array/>"
    for (entries, flaw) in [
      (list + list, "has the key \"keychain-access-groups\" twice in a dictionary"),
      ("<key>one</key>" + list, "has the key \"one\" without a value"),
      (list + "<key>last</key>", "has the key \"last\" without a value"),
    ] {
      let error = #expect(throws: EntitlementsError.self) { try document(propertyListXML("<dict>\(entries)</dict>")) }
      #expect(error?.what == flaw)
    }
  }

  @Test func `The same key in a nested dictionary is another key`() throws {
    let xml = propertyListXML(
      """
      <dict><!-- <key>application-identifier</key> --><key>application-identifier</key><string>x</string>
      <key>other</key><dict><key>application-identifier</key><integer>1</integer></dict>
      <key>more</key><array><dict/></array></dict>
      """)
    #expect(try document(xml).applicationIdentifier == "x")
  }

  @Test(arguments: [
    "", " ", "hello", "{ \"keychain-access-groups\" = (a); }", "application-identifier = x;", "{\"a\": 1}", "<plist>",
    "<plist><dict></plist>", "<plist><dict/></plist><plist><dict/></plist>", "<dict></dict>", "<plist><dict/></plist>x",
    "<plist><dict/><dict/></plist>", "<plist/>", "<plist></plist>", "<plist><dict><key>a</key></dict></plist>",
    "<plist><dict><key b=\"c\">a</key><string>x</string></dict></plist>", "<plist><dict><?php ?></dict></plist>",
    "<plist><dict/></plist><!-- ", "<plist><dict><strin>x</strin></dict></plist>", "</plist>", "<plist></dict></plist>",
    "<", "<>", "</>", "<!", "<!-->", "<?xml", "<?xml ?>", "bplist00", "bplist0",
  ])
  func `Data that is neither an XML nor a binary property list is malformed`(text: String) throws {
    #expect(try code(text) == .malformed)
  }

  @Test(arguments: ["<array/>", "<string>x</string>", "<integer>1</integer>", "<true/>", "<data>AAAA</data>"])
  func `A list whose outermost object is not a dictionary has the wrong type`(body: String) throws {
    #expect(try code(propertyListXML(body)) == .wrongType)
  }

  @Test func `A used key with a value of the wrong type is named`() throws {
    for key in EntitlementsKey.allCases {
      var values = ["<integer>1</integer>", "<true/>", "<dict/>", "<data>AAAA</data>", "<array><true/></array>"]
      values += key == .applicationIdentifier ? ["<array/>"] : ["<string>x</string>", "<array><array/></array>"]
      for value in values {
        let error = try refusal(propertyListXML("<dict><key>\(key.rawValue)</key>\(value)</dict>"))
        #expect(error.code == .wrongType, "\(value)")
        #expect(error.key == key)
        #expect(error.description.hasPrefix("App.entitlements: \(key.rawValue): "))
      }
    }
  }

  @Test func `Every other key is ignored, whatever its value`() throws {
    let xml = propertyListXML(
      """
      <dict><key>com.apple.security.app-sandbox</key><true/><key>aps-environment</key><string>*</string>
      <key>com.example.numbers</key><array><integer>1</integer><real>2</real><date>2020-01-01T00:00:00Z</date></array>
      </dict>
      """)
    #expect(try entitlements(xml, bundleID: "com.example.photo").groups.count == 1)
  }

  @Test func `UTF-8 is read with and without a byte order mark, and other encodings are refused`() throws {
    let xml = entitlementsXML(application: "x")
    #expect(try document("\u{FEFF}" + xml).applicationIdentifier == "x")
    for encoding in [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian, .utf32] {
      let declared = xml.replacingOccurrences(of: "UTF-8", with: "UTF-16")
      #expect(try code(Array(#require(declared.data(using: encoding)))) == .malformed)
    }
    // "+ADw-" is "<" in UTF-7, and text in UTF-8.
    #expect(try document(xml.replacingOccurrences(of: ">x<", with: ">+ADw-<")).applicationIdentifier == "+ADw-")
    for encoding in ["UTF-7", "US-ASCII", "ISO-8859-1", "", "UTF-8' x='"] {
      #expect(try code(xml.replacingOccurrences(of: "UTF-8", with: encoding)) == .malformed, "\(encoding)")
    }
    #expect(try document(xml.replacingOccurrences(of: "\"UTF-8\"", with: "'utf-8'")).applicationIdentifier == "x")
    #expect(try code(Array(xml.utf8) + [0xFF]) == .malformed)
    #expect(try code(Array(xml.utf8) + [0]) == .malformed)
  }

  @Test func `A binary plist has the same entitlements as the XML it was converted from`() throws {
    let xml = entitlementsXML(
      application: "$(AppIdentifierPrefix)com.example.photo",
      keychain: ["$(AppIdentifierPrefix)a", "$(AppIdentifierPrefix)b"],
      applicationGroups: ["group.c"], readOnly: [])
    let values = try unsafe PropertyListSerialization.propertyList(from: Data(xml.utf8), format: nil)
    let binary = try PropertyListSerialization.data(fromPropertyList: values, format: .binary, options: 0)
    #expect(binary.starts(with: Array("bplist00".utf8)))
    #expect(try EntitlementsDocument(bytes: Array(binary), source: "App.entitlements") == document(xml))
  }

  @Test func `No name or path can add a line to an error or control a terminal`() throws {
    let hostile = propertyListXML(
      "<dict><key>application-identifier</key><string>a&#10;ok: b&#x1b;[31m&#x202e;&#x2028;"
        + String(repeating: "y", count: 9000) + "</string></dict>"
    )
    let document = try EntitlementsDocument(bytes: Array(hostile.utf8), source: "a\nb\u{1B}[0m")
    let team = try #require(TeamID("ABCDEFGHIJ"))
    let error = try #require(throws: EntitlementsError.self) {
      try document.expanded(team: team, bundleID: nil, sourcePrefix: nil)
    }
    for scalar in error.description.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: Issue.record("U+\(String(scalar.value, radix: 16))")
      default: break
      }
    }
    #expect(error.description.unicodeScalars.count < 1000)
  }

  @Test(.timeLimit(.minutes(120)), arguments: [SeededGenerator.runSeed])
  func `Random bytes and random changes give a value or an error, never a crash`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let xml = entitlementsXML(
      application: "$(AppIdentifierPrefix)com.example.photo", keychain: ["$(AppIdentifierPrefix)a"],
      applicationGroups: ["group.c"], readOnly: ["${AppIdentifierPrefix}d"])
    let values = try unsafe PropertyListSerialization.propertyList(from: Data(xml.utf8), format: nil)
    let binary = try PropertyListSerialization.data(fromPropertyList: values, format: .binary, options: 0)
    let team = try #require(TeamID("ABCDEFGHIJ"))
    var refused = 0
    for round in 0..<6000 {
      var bytes: [UInt8]
      switch round % 3 {
      case 0:
        bytes = (0..<Int.random(in: 0...300, using: &generator)).map { _ in .random(in: 0...255, using: &generator) }
      case 1: bytes = Array(xml.utf8)
      default: bytes = Array(binary)
      }
      if round % 6 == 3 { bytes = Array("bplist00".utf8) + bytes }
      for _ in 0..<Int.random(in: 1...4, using: &generator) where !bytes.isEmpty {
        let index = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: bytes[index] = .random(in: 0...255, using: &generator)
        case 1: bytes.remove(at: index)
        case 2: bytes.insert(.random(in: 0...255, using: &generator), at: index)
        default: bytes.removeLast(Int.random(in: 0...min(40, bytes.count), using: &generator))
        }
      }
      do {
        _ = try EntitlementsDocument(bytes: bytes, source: "Fuzz.entitlements")
          .expanded(team: team, bundleID: nil, sourcePrefix: nil)
      } catch {
        #expect(!error.description.contains("\n"))
        refused += 1
      }
    }
    #expect(refused > 2000, "seed \(seed)")
  }
}
