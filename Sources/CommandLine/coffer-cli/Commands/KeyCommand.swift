internal import ArgumentParser
internal import Coffer
internal import CofferAgent
internal import CofferCrypto
internal import CofferInspection
internal import CofferPlatform
internal import CofferTerminal
internal import CofferVault
internal import CofferX509

struct KeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key", abstract: "Import a private key, or export one.",
    subcommands: [KeyImportCommand.self, KeyExportCommand.self])
}

struct KeyImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Store the private key of a file.",
    discussion: """
      The file has one key in PEM or DER: RSA of 1024 to 8192 bits, P-256, P-384 or P-521, in PKCS #8, PKCS #1 or SEC 1, and \
      not encrypted. A certificate of the key is found by both.
      """)
  @Argument(help: "The file; - for standard input.", completion: .file())
  var file: String
  @Option(help: ArgumentHelp("The label. Default: the name of the file without its last part.", valueName: "text"))
  var label: String?
  @Option(help: ArgumentHelp("The application tag, by which an app finds the key.", valueName: "text"))
  var tag: String?
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions

  func validate() throws {
    if file == "-" && label == nil { throw ValidationError("give --label for a key from standard input") }
    if label?.isEmpty == true { throw ValidationError("the label is empty") }
  }

  func run() throws {
    var contents = try SecretInput.contents(
      of: file, what: "private key", limit: PrivateKeyFile.maximumByteCount)
    defer { contents.resetBytes(in: contents.startIndex..<contents.endIndex) }
    var bytes = [UInt8](contents)
    defer { bytes.wipe() }
    var key = try PrivateKeyFile.read(bytes)
    defer { key.externalRepresentation.wipe() }
    let vault = InspectedVault(try actor.open(for: .writing(group.group), to: .use))
    let destination = try group.destination(in: vault.vault)
    let reference = try vault.addKey(key, label: label ?? Self.name(of: file), tag: tag ?? "", in: destination)
    let row = try vault.details(of: reference, in: destination).row
    try Output.line("Stored \(Output.cell(row.title)) in \(row.group) as \(row.reference.path)")
  }

  /// The name of a file without its last extension.
  private static func name(of path: String) -> String {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
    return String(name[..<dot])
  }
}

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

/// The place to which a private key is written.
struct KeyOutputOptions: ParsableArguments {
  @Option(
    name: [.short, .long],
    help: ArgumentHelp(
      "The file to write, with mode 0600, completely or not at all. Default: standard output, unless it is a terminal.",
      valueName: "file"), completion: .file())
  var output: String?

  /// Nil for standard output.
  private var file: String? { output == "-" ? nil : output }

  /// Throws `invalidArgument` if a private key would be shown on a terminal and nobody has asked for that. The advice
  /// is what to do instead.
  func check(or advice: String = "") throws(VaultError) {
    guard file == nil, Terminal.isOutput else { return }
    throw VaultError(
      .invalidArgument, "a private key is not shown on the terminal",
      recoverySuggestion: "name a file with --output\(advice)")
  }

  /// Writes the bytes, and wipes them.
  func write(_ bytes: inout [UInt8]) throws(VaultError) {
    defer { bytes.wipe() }
    if let file { return try ReplacedFile.write(bytes, to: file) }
    try Terminal.write(SecretText(moving: &bytes))
  }
}

/// A file with one private key, in PEM (RFC 7468) or DER.
enum PrivateKeyFile {
  /// The size limit of a file, in bytes.
  static let maximumByteCount = 65_536

  /// Reads the key. Throws `invalidArgument` for a key that is encrypted or of another algorithm, and for anything else
  /// than one key. Other text around it in PEM is ignored, as are the parameters that OpenSSL writes before it.
  static func read(_ bytes: [UInt8]) throws(VaultError) -> ExternalKey {
    var der = bytes.firstRange(of: begin) == nil ? bytes : try decode(bytes)
    defer { der.wipe() }
    do throws(CertificateError) {
      return try ExternalKey(der: der)
    } catch {
      throw refusal(error.description)
    }
  }

  /// Returns a key in PKCS #8 as PEM. The caller wipes it.
  static func pem(pkcs8 der: [UInt8]) -> [UInt8] {
    var text = Base64.encode(der)
    defer { text.wipe() }
    var pem = Array("-----BEGIN PRIVATE KEY-----\n".utf8)
    // Never reallocated, which would leave a copy.
    pem.reserveCapacity(2 * text.count + 128)
    for start in stride(from: 0, to: text.count, by: 64) {
      pem.append(contentsOf: text[start..<min(start + 64, text.count)])
      pem.append(UInt8(ascii: "\n"))
    }
    pem.append(contentsOf: "-----END PRIVATE KEY-----\n".utf8)
    return pem
  }

  private static let begin = Array("-----BEGIN ".utf8)
  private static let end = Array("-----END ".utf8)

  /// Returns the DER of the only key in PEM.
  private static func decode(_ bytes: [UInt8]) throws(VaultError) -> [UInt8] {
    var key: ArraySlice<UInt8>?
    var open: (label: String, start: Int)?
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      if line.starts(with: begin) {
        guard open == nil else { throw refusal("a line with END is missing") }
        open = (label(line.dropFirst(begin.count)), line.endIndex)
      } else if line.starts(with: end) {
        guard let (name, start) = open, name == label(line.dropFirst(end.count)) else {
          throw refusal("the lines with BEGIN and END do not belong together")
        }
        open = nil
        switch name {
        case "PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY":
          guard key == nil else { throw refusal("the file has more than one key") }
          key = bytes[start..<line.startIndex]
        case "EC PARAMETERS": continue
        case "ENCRYPTED PRIVATE KEY": throw refusal(encrypted)
        case "OPENSSH PRIVATE KEY":
          throw refusal(
            "the key has the format of OpenSSH", suggestion: "convert a copy with: ssh-keygen -p -m PKCS8 -f FILE")
        default: throw refusal("the file contains something else than a private key, such as a certificate")
        }
      }
    }
    guard open == nil, let key else { throw refusal("the file has no private key") }
    // The headers of an encrypted key.
    guard !key.contains(UInt8(ascii: ":")) else { throw refusal(encrypted) }
    guard let der = Base64.decode(key) else { throw refusal("the key is not in Base64") }
    return der
  }

  private static func label(_ rest: ArraySlice<UInt8>) -> String {
    let name = rest.prefix { $0 != UInt8(ascii: "-") }
    return String(validating: name, as: UTF8.self) ?? ""
  }

  private static let encrypted = "the key is encrypted"

  private static func refusal(_ reason: String, suggestion: String? = nil) -> VaultError {
    let decryption = "decrypt it with: openssl pkey -in FILE | coffer key import - --label NAME"
    return VaultError(
      .invalidArgument, reason,
      recoverySuggestion: suggestion
        ?? (reason == encrypted ? decryption : "give a file with one private key in PEM or DER"))
  }
}
