internal import ArgumentParser
internal import Coffer
internal import CofferCrypto
internal import CofferInspection
internal import CofferOpenSSL
internal import CofferPlatform
internal import CofferTerminal
internal import CofferVault
internal import CofferX509

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
