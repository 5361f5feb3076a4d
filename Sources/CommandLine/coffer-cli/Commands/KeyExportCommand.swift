internal import ArgumentParser
internal import Coffer
internal import CofferCrypto
internal import CofferInspection
internal import CofferPlatform
internal import CofferTerminal
internal import CofferX509

struct KeyExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write a private key in PEM or DER.",
    discussion: "The key is in PKCS #8 and not encrypted. A terminal shows it only with --show.")
  @OptionGroup var item: LabelledItemOptions
  @Flag(help: "Write DER instead of PEM.")
  var der = false
  @Flag(help: "Show the key on the terminal.")
  var show = false
  @OptionGroup var destination: KeyOutputOptions

  func validate() throws {
    if der && show { throw ValidationError("--show and --der exclude each other") }
    if destination.output != nil && show { throw ValidationError("--show and --output exclude each other") }
  }

  func run() throws {
    if !show { try destination.check(or: ", or show it with --show") }
    let vault = try item.actor.open(for: .reading(item.group.group))
    let query = ItemQuery<KeychainKey>(in: item.group.group).matching(.kind, .private)
    let found = try item.find("private key", in: vault, query)
    var value = try item.value(of: found, "private key", in: vault)
    defer { value.resetBytes(in: value.startIndex..<value.endIndex) }
    var key = try ExternalKey(stored: value)
    defer { key.externalRepresentation.wipe() }
    var pkcs8 = try key.encoded()
    defer { pkcs8.wipe() }
    var bytes = der ? pkcs8 : PrivateKeyFile.pem(pkcs8: pkcs8)
    try destination.write(&bytes)
  }
}
