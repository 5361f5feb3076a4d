internal import ArgumentParser
internal import Coffer
internal import CofferAgent
internal import CofferCrypto
internal import CofferInspection
internal import CofferOpenSSL
internal import CofferPlatform
internal import CofferTerminal
internal import CofferTransfer
internal import CofferVault
internal import CofferX509

struct IdentityCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "identity", abstract: "Import certificates with their private keys, or export one (PKCS #12).",
    subcommands: [IdentityImportCommand.self, IdentityExportCommand.self])
}

struct IdentityImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Store the certificates and private keys of a PKCS #12 file, all or none.",
    discussion: """
      Reads what OpenSSL, Apple's systems, Windows, Firefox and Java write, at most 16 MiB. Certificates are not verified. What the \
      group has already is left as it is. Needs OpenSSL 3, and for files with RC2 or RC4 its provider of old ciphers.
      """)
  @Argument(help: "The file; - for standard input.", completion: .file())
  var file: String
  @OptionGroup var password: FilePasswordOptions
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions

  func run() throws {
    let bytes = [UInt8](
      try SecretInput.contents(of: file, what: "PKCS #12 file", limit: PKCS12Contents.maximumByteCount))
    let vault = InspectedVault(try actor.open(for: .writing(group.group), to: .use))
    let destination = try group.destination(in: vault.vault)
    let contents = try read(bytes)
    var keys = try contents.keys.map { (key: try $0.material.externalKey(), name: $0.friendlyName) }
    defer { for position in keys.indices { keys[position].key.externalRepresentation.wipe() } }
    guard !keys.isEmpty || !contents.certificates.isEmpty else {
      throw VaultError(
        .invalidArgument, "the PKCS #12 file has neither certificates nor keys",
        recoverySuggestion: "give another file")
    }
    let imported = try vault.importIdentities(
      certificates: contents.certificates.map { (der: $0.der, name: $0.friendlyName) }, keys: keys, in: destination)
    for item in imported {
      let verb = item.isNew ? "Stored" : "Already there:"
      try Output.line("\(verb) \(Output.cell(item.title)) in \(destination) as \(item.reference.path)")
    }
  }

  /// Reads the file, without a password if it has none.
  private func read(_ bytes: [UInt8]) throws(VaultError) -> PKCS12Contents {
    do throws(OpenSSLError) {
      if password.passwordFile == nil { return try PKCS12Contents(reading: bytes, passphrase: SecretText(copying: [])) }
    } catch {
      guard error == .wrongPassphrase else { throw error.report(of: "the PKCS #12 file") }
    }
    let passphrase = try password.read()
    do throws(OpenSSLError) {
      return try PKCS12Contents(reading: bytes, passphrase: passphrase)
    } catch {
      throw error.report(of: "the PKCS #12 file")
    }
  }
}

struct IdentityExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write a certificate with its private key and its issuers as a PKCS #12 file.",
    discussion: """
      The file is encrypted with AES-256, under a password that is asked for or read from a file. It contains those issuers that \
      the vault has. Needs OpenSSL 3.
      """)
  @OptionGroup var item: LabelledItemOptions
  @OptionGroup var password: FilePasswordOptions
  @OptionGroup var destination: KeyOutputOptions

  func run() throws {
    try destination.check()
    let vault = try item.actor.open(for: .reading(item.group.group))
    let query = ItemQuery<KeychainCertificate>(in: item.group.group)
    let certificate = try item.find("certificate", in: vault, query)
    guard let identity = try vault.identities(query.reference(certificate.reference)).first else {
      throw VaultError(
        .itemNotFound, "the groups that can be read have no private key of the certificate",
        recoverySuggestion: "import the key with: coffer key import FILE")
    }
    let der = [UInt8](try item.value(of: certificate, "certificate", in: vault))
    var value = try item.value(of: identity.key, "private key", in: vault)
    defer { value.resetBytes(in: value.startIndex..<value.endIndex) }
    var key = try ExternalKey(stored: value)
    defer { key.externalRepresentation.wipe() }
    let issuers = try InspectedVault(vault).possibleIssuers(of: certificate.item)
    let passphrase = try password.readNew()
    var pkcs8 = try key.encoded()
    defer { pkcs8.wipe() }
    var bytes: [UInt8]
    do throws(OpenSSLError) {
      // The certificate itself, then those of the issuers that follow from each other.
      let chain = try CertificateChains.build(of: [der], from: issuers).first ?? []
      bytes = try PKCS12File.encoding(
        key: pkcs8, certificates: chain.isEmpty ? [der] : chain, name: certificate.item.label ?? "",
        passphrase: passphrase)
    } catch {
      throw error.report(of: "the certificate with its key")
    }
    try destination.write(&bytes)
  }
}

/// The password of a PKCS #12 file.
struct FilePasswordOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Read the password of the PKCS #12 file from this file.", discussion: "Default: a prompt on the terminal.",
      valueName: "file"),
    completion: .file())
  var passwordFile: String?

  /// Reads the password of an existing file.
  func read() throws(VaultError) -> SecretText {
    if let given = try given() { return given }
    return try Terminal.askHidden("Password of the file", for: Self.what, otherwise: Self.otherwise)
  }

  /// Reads the password of a new file, typed twice at a prompt. Throws `invalidArgument` for an empty one.
  func readNew() throws(VaultError) -> SecretText {
    if let given = try given() { return given }
    return try Terminal.askTwice(
      "New password for the file", for: Self.what, otherwise: Self.otherwise,
      ifDifferent: "the two passwords differ"
    ) { (first) throws(VaultError) in
      guard !first.isEmpty else {
        throw VaultError(.invalidArgument, "the password is empty", recoverySuggestion: "choose a password")
      }
    }
  }

  private func given() throws(VaultError) -> SecretText? {
    guard let passwordFile else { return nil }
    return try SecretInput.file(passwordFile, limit: PKCS12File.maximumPassphraseByteCount, what: "password")
  }

  private static let what = "the password of the file"
  private static let otherwise = "give --password-file FILE"
}

extension ExternalKey {
  /// Reads the value of an item. Throws `invalidArgument` for one that is no private key of a supported algorithm.
  init(stored value: Data) throws(VaultError) {
    var bytes = [UInt8](value)
    defer { bytes.wipe() }
    do throws(CertificateError) {
      try self.init(externalRepresentation: bytes)
    } catch {
      throw VaultError(
        .invalidArgument, error.description,
        recoverySuggestion: "its bytes are in what this writes, as the app has stored them: coffer export json FILE")
    }
  }

  /// Returns the key in PKCS #8. The caller wipes it.
  func encoded() throws(VaultError) -> [UInt8] {
    do throws(CertificateError) {
      return try pkcs8()
    } catch {
      throw VaultError(.invalidArgument, error.description, recoverySuggestion: "export it in the app that stored it")
    }
  }
}
