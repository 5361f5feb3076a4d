import CofferFormat
import CofferTrust
import Testing

/// Plists that two readers could read differently: what comparing the scanners with Foundation's parser found.
@Suite struct EntitlementsTwoReadersTests {
  private static let first = "<key>keychain-access-groups</key><array><string>$(AppIdentifierPrefix)a</string></array>"
  private static let second = "<key>keychain-access-groups</key><array><string>$(AppIdentifierPrefix)b</string></array>"

  private func refuse(_ xml: String, sourceLocation: SourceLocation = #_sourceLocation) {
    refuse(Array(xml.utf8), sourceLocation: sourceLocation)
  }

  private func refuse(_ bytes: [UInt8], sourceLocation: SourceLocation) {
    // The document also compares the two readers, so the scanner is tested on its own as well.
    #expect(throws: PropertyListFlaw.self, sourceLocation: sourceLocation) { try ScannedPropertyList(bytes) }
    let error = #expect(throws: EntitlementsError.self, sourceLocation: sourceLocation) {
      try EntitlementsDocument(bytes: bytes, source: "Ambiguous.entitlements")
    }
    #expect(error?.code == .malformed, "\(String(decoding: bytes, as: UTF8.self))", sourceLocation: sourceLocation)
  }

  private func refuse(_ objects: [[UInt8]], sourceLocation: SourceLocation = #_sourceLocation) {
    refuse(BinaryList.bytes(objects), sourceLocation: sourceLocation)
  }

  @Test func `No object is in the table of the places of objects`() {
    // The table is the one byte 8, the place of the object. As an object, that byte is a boolean.
    let numbers = [1, 0, 8].flatMap { [UInt8](repeating: 0, count: 7) + [UInt8($0)] }
    refuse(Array("bplist00".utf8) + [8] + [0, 0, 0, 0, 0, 0, 1, 1] + numbers, sourceLocation: #_sourceLocation)
  }

  @Test func `A comment does not end at the hyphens that start it, so it cannot hide a second list`() {
    for start in ["<!-->", "<!--->"] {
      refuse(propertyListXML("<dict>\(Self.first)\(start)<array>-->\(Self.second)\(start)</array>--></dict>"))
      refuse(propertyListXML("<dict>\(start)\(Self.first)--></dict>"))
    }
  }

  @Test func `Two hyphens in a comment are refused`() {
    for comment in ["<!-- -- -->", "<!--a--->", "<!------>", "<!----->", "<!-- --", "<!-- --\(Self.second)-->"] {
      for xml in [
        propertyListXML("<dict>\(comment)</dict>"), propertyListXML("<dict/>") + comment,
        comment + "<plist><dict/></plist>",
      ] { refuse(xml) }
    }
  }

  @Test func `A comment without two hyphens is skipped, whatever else it contains`() throws {
    for comment in [
      "<!-- -->", "<!-- >-->", "<!-- - > <array> ]]> <?x?> & \" -->", "<!--\(Self.second)-->", "<!--é\n-->",
    ] {
      let list = "<plist version=\"1.0\">\(comment)<dict>\(comment)\(Self.first)\(comment)</dict>\(comment)</plist>"
      #expect(try entitlements(comment + list + comment, bundleID: "a.b").groups.count == 2)
    }
  }

  /// Before the `plist` element, Foundation skips `<!--` and one character more, so that `<!---->` has no end.
  @Test func `An empty comment cannot hide the outermost dictionary`() {
    let hidden = "<dict>\(Self.first)\(Self.second)</dict>"
    refuse("<!----><plist><dict><key>other</key><!---->\(hidden)</dict></plist>")
    refuse("<?xml version=\"1.0\"?><!----><plist><dict><key>other</key><array><!---->\(hidden)</array></dict></plist>")
    refuse(propertyListXML("<dict><!----></dict>"))
  }

  /// Foundation drops the mark, so that the key becomes the one that is read.
  @Test func `A text that starts with a byte order mark is refused`() {
    for mark in ["\u{FEFF}", "&#xFEFF;", "<![CDATA[\u{FEFF}]]>"] {
      refuse(propertyListXML("<dict><key>\(mark)keychain-access-groups</key><array/></dict>"))
      refuse(propertyListXML("<dict><key>keychain-access-groups</key><array><string>\(mark)a</string></array></dict>"))
    }
  }

  @Test func `A reference to NUL, half a character or no character is refused`() {
    for reference in [
      "&#0;", "&#x0;", "&#;", "&#x;", "&#xD800;", "&#xD83D;&#xDE00;", "&#xDFFF;", "&#x110000;", "&#99999999;", "&#X2d;",
      "&#000000045;", "&#+45;", "&#4294967341;", "&#45", "&nbsp;", "&AMP;", "&lt", "&;", "&", "& amp;",
    ] {
      refuse(propertyListXML("<dict><key>keychain\(reference)-access-groups</key><array/></dict>"))
    }
  }

  @Test func `Equal keys are refused in nested dictionaries too, and after references and CDATA are resolved`() {
    for key in ["keychain-access-groups", "keychain&#x2d;access-groups", "<![CDATA[keychain]]>-access-groups"] {
      let entries = Self.first + "<key>\(key)</key><array/>"
      refuse(propertyListXML("<dict>\(entries)</dict>"))
      refuse(propertyListXML("<dict><key>other</key><array><dict>\(entries)</dict></array></dict>"))
    }
    refuse(propertyListXML("<dict><key>e\u{301}</key><true/><key>\u{E9}</key><true/></dict>"))
    refuse(propertyListXML("<dict><key/><true/><key></key><true/></dict>"))
  }

  @Test func `Only keys with a value are read as keys, and only in dictionaries`() throws {
    #expect(try document(propertyListXML("<dict><key/><true/>\(Self.first)</dict>")).applicationIdentifier == nil)
    for body in [
      "<dict><key>application-identifier</key><key>x</key></dict>", "<dict><key>a</key></dict>", "<dict><key/></dict>",
      "<dict><string>a</string><string>b</string></dict>", "<dict><key>a</key>text</dict>", "<dict>text</dict>",
      "<dict><key>keychain-access-groups</key><array><key>a</key></array></dict>", "<dict><true/></dict>",
      "<dict><key>a</key><plist><true/></plist></dict>", "<plist><dict/></plist>", "<dict></array>", "<key>a</key>",
    ] {
      refuse(propertyListXML(body))
    }
  }

  @Test func `Markup that parsers of property lists read differently is refused`() throws {
    #expect(try document("<plist version = '1.0' ><dict ></dict ></plist >").applicationIdentifier == nil)
    for xml in [
      "<plist version=\">\"><dict/></plist>", "<plist a=\"b\"><dict/></plist>", "<plist version=1><dict/></plist>",
      "<plist version=\"1\" version=\"1\"><dict/></plist>", "<plist><?x?><dict/></plist>",
      "<?x?><plist><dict/></plist>",
      "<!DOCTYPE plist SYSTEM \">\"><plist><dict/></plist>", "<!DOCTYPE dict><plist><dict/></plist>",
      "<!DOCTYPE plist><!DOCTYPE plist><plist><dict/></plist>", "<plist><![CDATA[]]><dict/></plist>",
      "<plist><dict/></plist><![CDATA[]]>", "<plist><dict\u{B}/></plist>", "<plist>\u{C}<dict/></plist>",
      "<plist>\u{FEFF}<dict/></plist>", "\u{FEFF}\u{FEFF}<plist><dict/></plist>", "<plist>\u{85}<dict/></plist>",
      "<plist><dict / ></plist>", "<plist>< dict/></plist>", "<plist><dict></ dict></plist>", "<PLIST><dict/></PLIST>",
      "<?xml?><plist><dict/></plist>", "<?xml encoding=\"UTF-8\"?><plist><dict/></plist>",
      " <?xml version=\"1.0\"?><plist><dict/></plist>", "<?xmlx version=\"1.0\"?><plist><dict/></plist>",
      "<?xml version=\"1.0\"?><?xml version=\"1.0\"?><plist><dict/></plist>", "<dict/>",
      "<plist><dict><key>a]]></key><true/></dict></plist>", "<plist><dict><key>a<!-- --></key><true/></dict></plist>",
    ] {
      refuse(xml)
    }
  }

  /// Foundation turns it into another object in XML, and leaves it a dictionary in the binary format.
  @Test func `A dictionary that stands for an object of a keyed archive is refused`() {
    refuse(propertyListXML("<dict><key>CF$UID</key><integer>1</integer></dict>"))
    refuse(propertyListXML("<dict><key>a</key><dict><key>CF$UID</key><integer>1</integer></dict></dict>"))
    refuse([BinaryList.dictionary(keys: [1], values: [2]), BinaryList.text("CF$UID"), [0x10, 1]])
  }

  @Test func `A binary text that is not what it says is refused`() {
    let outermost = BinaryList.dictionary(keys: [1], values: [2])
    let latin: [UInt8] = [0x51, 0xE9]
    refuse([outermost, latin, BinaryList.text("x")])
    refuse([outermost, BinaryList.text("x"), latin])
    // Both would become U+FFFD.
    for units: [UInt16] in [[0xD800], [0xDC00, 0x61], [0x61, 0xD83D]] {
      refuse([outermost, BinaryList.utf16(units), BinaryList.text("x")])
    }
    // A text that continues in the offset table.
    refuse([outermost, BinaryList.text("x"), [0x52, 0x61]])
    refuse([outermost, BinaryList.text("x"), [0x42, 0x61]])
  }

  @Test func `A binary list contains strings as keys, and only plain values`() {
    refuse([BinaryList.dictionary(keys: [1], values: [2]), [0x10, 1], BinaryList.text("x")])
    refuse([BinaryList.dictionary(keys: [1], values: [2]), [0xA0, 1], BinaryList.text("x")])
    for object: [UInt8] in [[0x00], [0x0F], [0x80, 1], [0xC0], [0x71, 0x61], [0x32, 0, 0, 0, 0], [0xE0], [0x15, 0]] {
      refuse([BinaryList.dictionary(keys: [1], values: [2]), BinaryList.text("x"), object])
    }
  }

  @Test func `A binary list has nothing between its offset table and its trailer`() throws {
    let bytes = BinaryList.bytes([BinaryList.dictionary(keys: [], values: [])])
    #expect(try EntitlementsDocument(bytes: bytes, source: "Empty").applicationIdentifier == nil)
    refuse(Array(bytes.dropLast(32)) + [0, 0, 8] + bytes.suffix(32), sourceLocation: #_sourceLocation)
  }
}
