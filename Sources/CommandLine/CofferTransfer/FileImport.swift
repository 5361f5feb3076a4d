package import CofferCrypto
package import CofferInspection
internal import CofferOpenSSL
internal import CofferSystem
internal import CofferVault
internal import CofferX509

/// What a file of another program has, and what becomes of it: entries, certificates, or certificates with their keys.
package struct FileImport: Sendable {
  package struct Row: Sendable {
    package let name: String
    package let kind: ItemKind
    package let outcome: ItemImporter.Outcome
  }

  /// The items, without those that are left out.
  package private(set) var rows: [Row] = []
  package private(set) var skipped: [ImportReport.Skipped] = []
  /// False if this only says what would become of them.
  package let isStored: Bool

  /// The number of items that are added or replaced.
  package var changeCount: Int { rows.count { $0.outcome != .same } }

  /// Reads a file, and stores what it has in a group unless `isDryRun`. `name` is that of the file. The password is for
  /// a protected export and for PKCS #12. Throws `invalidArgument` for a file that cannot be read, and
  /// `authenticationFailed` for a missing or wrong password.
  package init(
    of file: SecretText, named name: String, password: SecretText?, to group: String, of vault: InspectedVault,
    rule: ItemImporter.Rule, isDryRun: Bool
  ) throws {
    isStored = !isDryRun
    if let identities = try Self.identities(in: file, named: name, password) {
      var keys = try identities.keys.map { (key: try $0.material.externalKey(), name: $0.friendlyName) }
      defer { for position in keys.indices { keys[position].key.externalRepresentation.wipe() } }
      let imported = try vault.importIdentities(
        certificates: identities.certificates, keys: keys, in: group, isDryRun: isDryRun)
      rows = imported.map { Row(name: $0.title, kind: $0.reference.kind, outcome: $0.isNew ? .new : .same) }
      return
    }
    // Only the name: a path would mean a file of this machine.
    let name = name.split(separator: "/").last.map(String.init) ?? ""
    let source = ImportSource(fileNamed: name, file)
    var found: [Row] = []
    let run = ImportRun(
      source: source, path: nil, mapping: FolderMapping(group: group), vault: vault.vault, defaultGroup: nil,
      rule: rule, isDryRun: isDryRun,
      observe: { item, outcome in
        if case .skipped = outcome { return }
        found.append(Row(name: item.name, kind: item.kind, outcome: outcome))
      })
    skipped = try run.finish { body in
      try ImportProgram.run([source.rawValue, "./\(name)"], file: file, answer: { try Self.bytes(of: password) }, body)
    }.skipped
    rows = found
  }

  private typealias Identities = (certificates: [(der: [UInt8], name: String?)], keys: [PKCS12Contents.Key])

  /// Returns what a file of certificates in PEM or DER has, or a file in PKCS #12; nil for any other.
  private static func identities(
    in file: SecretText, named name: String, _ password: SecretText?
  ) throws -> Identities? {
    var bytes = unsafe file.withBytes { unsafe Array($0) }
    defer { bytes.wipe() }
    if isPEM(name, bytes), let text = String(validating: bytes, as: UTF8.self) {
      let all = try InspectedVault.parse { () throws(CertificateError) in
        try X509Certificate.certificates(pem: text.replacing("\r\n", with: "\n"))
      }
      return (all.map { ($0.der, nil) }, [])
    }
    // DER begins with a sequence.
    guard bytes.first == 0x30 else { return nil }
    if (try? X509Certificate(der: bytes)) != nil { return ([(bytes, nil)], []) }
    do throws(OpenSSLError) {
      let contents = try PKCS12Contents(reading: bytes, passphrase: password ?? SecretText(copying: []))
      return (contents.certificates.map { ($0.der, $0.friendlyName) }, contents.keys)
    } catch {
      throw error == .wrongPassphrase && password == nil ? missingPassword : error.report(of: "the PKCS #12 file")
    }
  }

  /// Whether a file is text with certificates in PEM. An export of passwords may have one in a note, or a key.
  private static func isPEM(_ name: String, _ bytes: [UInt8]) -> Bool {
    let first = bytes.first { $0 > UInt8(ascii: " ") }
    guard ![UInt8(ascii: "{"), UInt8(ascii: "<")].contains(first), bytes.hasText("-----BEGIN CERTIFICATE") else {
      return false
    }
    return ![".csv", ".json", ".xml", ".env"].contains { name.lowercased().hasSuffix($0) }
  }

  private static func bytes(of password: SecretText?) throws(VaultError) -> [UInt8] {
    guard let password else { throw missingPassword }
    return unsafe password.withBytes { unsafe Array($0) }
  }

  private static let missingPassword = VaultError(
    .authenticationFailed, "the file is protected by a password", recoverySuggestion: "enter the password of the file")
}
