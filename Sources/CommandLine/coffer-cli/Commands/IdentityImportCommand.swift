internal import ArgumentParser
internal import Coffer
internal import CofferAgent
internal import CofferCrypto
internal import CofferInspection
internal import CofferOpenSSL
internal import CofferPlatform
internal import CofferTerminal
internal import CofferVault
internal import CofferX509

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
