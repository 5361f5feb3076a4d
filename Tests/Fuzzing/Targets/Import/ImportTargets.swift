import CofferFuzzing
import CofferImport
import CofferSystem
import Foundation

/// The readers of other programs' files: each reads any bytes the same way twice, or refuses them, and prints only
/// items that are not larger than what they were read from.
enum ImportTargets {
  static let all = [
    target("import-csv", [csv]) { CSVSource($0) },
    target("import-keepassxc", [keePass]) { KeePassXMLSource($0) },
    target("import-bitwarden", [bitwarden]) { input in
      BitwardenSource(input) { throw ImportError("no password", recoverySuggestion: "") }
    },
    target("import-cxf", [exchange]) { CredentialExchangeSource($0) },
    target("import-1password", [onePassword]) { OnePasswordSource($0) },
    target("import-security-dump", [dump]) { SecurityDumpSource($0) },
    target("import-dotenv", [variables]) { DotenvSource($0, service: "project") },
    target("import-json", [json]) { CofferExportSource($0) },
    FuzzTarget(
      "import-pass",
      seeds: { ["secret\nlogin: jane\nurl: a.example\notpauth://totp/a?secret=AA\n"].map { Array($0.utf8) } },
      check: { bytes in
        let text = PasswordStoreText(bytes)
        let isWhole = text.rest.isEmpty && (text.password == bytes || text.password + [10] == bytes)
        let hasHeader = bytes.starts(with: "GOPASS-SECRET-1.0".utf8)
        try require(
          isWhole || hasHeader || text.password + [10] + text.rest == bytes, "an entry of pass was not kept whole")
      }),
  ]

  /// What a file may say beside its own bytes: the names of a folder, an identifier, and JSON in base64.
  private static func limit(_ count: Int) -> Int { 64 * count + 65_536 }

  private static func target(
    _ name: String, _ seeds: [[UInt8]], _ source: @escaping @Sendable (SourceInput) -> any EntrySource
  ) -> FuzzTarget {
    FuzzTarget(
      name, maximumByteCount: 4096, seeds: { seeds },
      check: { bytes in
        let first = try lines(source(.bytes(bytes)))
        try require(try lines(source(.bytes(bytes))) == first, "\(name) read the same bytes in two ways")
        for line in first {
          let data = try JSONEncoder().encode(line)
          try require(try JSONDecoder().decode(ImportLine.self, from: data) == line, "\(name) printed another line")
          // What zlib unpacks is limited by its own ratio.
          try require(
            line.bytes.count <= (name.hasSuffix("1password") ? 1_100 : 1) * limit(bytes.count), "\(name) grew")
        }
      })
  }

  private static func lines(_ source: any EntrySource) throws -> [ImportLine] {
    var lines: [ImportLine] = []
    var sink = EntrySink(source: "test") { lines.append($0) }
    do {
      try source.read(into: &sink)
    } catch is ImportError {
      // A refusal. What was read before it is compared too.
    }
    return lines
  }

  // MARK: Inputs

  private static let csv = Array(
    "name,url,username,password,note\r\nSite,https://a.example/x,jane,\"p\"\"q,\nr\",n\r\n".utf8)
  private static let keePass = Array(
    """
    <KeePassFile><Meta><Binaries><Binary ID="0">QQ==</Binary></Binaries><RecycleBinUUID>AAAA</RecycleBinUUID></Meta><Root>
    <Group><UUID>BBBB</UUID><Name>Root</Name><Group><Name>Mail</Name><Entry><UUID>CCCC</UUID><Tags>a;b</Tags><Times>
    <CreationTime>2020-01-02T03:04:05Z</CreationTime></Times><String><Key>Password</Key><Value ProtectInMemory="True">x&amp;
    </Value></String><String><Key>URL</Key><Value>https://{REF:U@P:x}</Value></String><Binary><Key>f</Key><Value Ref="0"/>
    </Binary><History><Entry><String><Key>Password</Key><Value>y</Value></String></Entry></History></Entry></Group></Group>
    </Root></KeePassFile>
    """.utf8)
  private static let bitwarden = Array(
    """
    {"encrypted":false,"folders":[{"id":"1","name":"A/B"}],"items":[{"id":"2","folderId":"1","type":1,"name":"n","notes":"x",
    "fields":[{"name":"f","value":"v","type":1}],"login":{"username":"u","password":"p","totp":"AA","uris":[{"uri":"a.example"}],
    "fido2Credentials":[{"credentialId":"b64.AA","keyValue":"AA","rpId":"a.example"}]},"passwordHistory":[{"password":"o"}]}]}
    """.utf8)
  private static let exchange = Array(
    """
    {"version":{"major":1,"minor":0},"accounts":[{"collections":[{"title":"c","items":[{"item":"AA"}]}],"items":[{"id":"AA",
    "title":"t","credentials":[{"type":"basic-auth","username":{"value":"u"},"password":{"value":"p"}},{"type":"totp",
    "secret":"AA","digits":6},{"type":"passkey","key":"AA"}],"extensions":[{"name":"coffer","items":[{"class":
    "generic-password","attributes":{"svce":"s","type":3,"gena":{"base64":"AA=="}},"name":"basic-auth"}]}]}]}]}
    """.utf8)
  private static let dump = Array(
    """
    keychain: "login.keychain"
    class: "genp"
    attributes:
        0x00000007 <blob>="Label"
        "acct"<blob>=0x6A616E65  "jane"
        "port"<uint32>=0x000001BB
        "cdat"<timedate>=0x32303134303232313139303234385A00  "20140221190248Z\\000"
    data:
    "secret"
    """.utf8)
  private static let variables = Array("export A='x'\nB=\"y\\n${C}\"\nC=z # comment\n".utf8)
  private static let json = Array(
    """
    {"format":"coffer-export","version":1,"items":[{"class":"generic-password","folder":"g","attributes":{"svce":"s","sdat":
    {"date":1}},"value":"v"},{"class":"key","attributes":{},"valueBase64":"AA=="}]}
    """.utf8)
  /// A stored and a deflated member, as zip writes them.
  private static let onePassword: [UInt8] = [UInt8](Data(base64Encoded: archive) ?? Data())
  private static let archive = [
    "UEsDBBQAAAAIAAAAIVCzgyP8qwAAAB0BAAALAAAAZXhwb3J0LmRhdGFFjzEKwzAMRe+iOSfoAQpdOnYpGYStBIFih1h2huC7V44b",
    "ggaJ///72AegczEHTfD4HlAwy/9E1c2uAwIuBA/4QB2AlZZu58ze1AwDJEVtCXTKhUzwpMhywhJnDk8m8R3zlHgOqByDESumtMfN",
    "G1NQcitZoY5WSa5FOqOs0qxksemuuuTppg/z5dw+urxQ0Fd7pD9BoXf/SYBa62gzQCy0Faa9IVefQnfH+gNQSwMEFAAAAAAAAAAh",
    "UIamEDYFAAAABQAAAAoAAABmaWxlcy9kX19uaGVsbG9QSwECFAMUAAAACAAAACFQs4Mj/KsAAAAdAQAACwAAAAAAAAAAAAAAgAEA",
    "AAAAZXhwb3J0LmRhdGFQSwECFAMUAAAAAAAAACFQhqYQNgUAAAAFAAAACgAAAAAAAAAAAAAAgAHUAAAAZmlsZXMvZF9fblBLBQYA",
    "AAAAAgACAHEAAAABAQAAAAA=",
  ].joined()
}
