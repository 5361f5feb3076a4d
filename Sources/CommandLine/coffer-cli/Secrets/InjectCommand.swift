internal import ArgumentParser
internal import CofferCrypto
internal import CofferInspection
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

struct InjectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inject", abstract: "Fill a template with secrets.",
    discussion: """
      Puts values in the place of references in double braces: {{ coffer://GROUP/SERVICE/ACCOUNT }}, and with --map those of \
      1Password: {{ op://VAULT/ITEM/FIELD }}, also without braces if it has no space. Everything else stays as it is, byte \
      for byte, also other text in braces. A reference of Coffer without braces is refused.

      The output gets mode 0600 and replaces a regular file, completely or not at all: if a reference names nothing, nothing \
      is written.
      """)
  @Option(
    name: [.short, .customLong("in")],
    help: ArgumentHelp("The template; - for standard input.", valueName: "template"), completion: .file())
  var input: String
  @Option(
    name: [.short, .customLong("out")],
    help: ArgumentHelp("The file to write; - for standard output.", valueName: "file"), completion: .file())
  var output: String
  @OptionGroup var references: ReferenceOptions
  @OptionGroup var actor: ActorOptions

  func run() throws {
    let map = try references.readMap()
    let text = try SecretInput.contents(of: input, what: "template")
    let template = try SecretTemplate(Array(text), path: input, map)
    let requests = template.requests
    let values = requests.isEmpty ? [] : try SecretReader(actor).read(requests)
    var filled = template.filled(with: values)
    defer { filled.wipe() }
    if output == "-" {
      try Terminal.write(Data(filled))
    } else {
      try ReplacedFile.write(filled, to: output)
    }
  }
}

/// A text with references in double braces, in whose place values are put: `{{ coffer://GROUP/SERVICE/ACCOUNT }}`. A
/// reference of 1Password needs no braces. All other bytes stay as they are, also braces around anything else.
struct SecretTemplate {
  private enum Part {
    case bytes(ArraySlice<UInt8>)
    case request(SecretReader.Request)
  }

  private var parts: [Part] = []

  /// The references, in their order.
  var requests: [SecretReader.Request] {
    parts.compactMap { part in if case .request(let request) = part { request } else { nil } }
  }

  /// Reads a template. `path` is its file, for errors. Throws `invalidArgument` for a malformed reference, for one
  /// without braces at its end, and for one of Coffer without any: it could end at several places.
  ///
  /// It is read once from its beginning to its end: a template of megabytes may consist of references, or of braces.
  init(_ template: [UInt8], path: String, _ map: ReferenceMap) throws(VaultError) {
    var rest = template[...]
    var line = 1
    while let start = Self.reference(in: rest) {
      parts.append(.bytes(rest[..<start.place]))
      line += rest[..<start.place].count { $0 == Self.newline }
      let place = TextLine.place(line: line, of: path)
      let (end, next) = try Self.end(of: start, in: rest, place)
      let text = String(decoding: rest[start.text..<end], as: UTF8.self).trimmedSpace
      do throws(VaultError) {
        parts.append(.request(SecretReader.Request(reference: try map.reference(text), place: place)))
      } catch {
        throw error.at(place)
      }
      rest = rest[next...]
    }
    parts.append(.bytes(rest))
  }

  private static let newline = UInt8(ascii: "\n")
  private static let openingBrace = UInt8(ascii: "{")
  private static let closingBrace = UInt8(ascii: "}")

  /// Returns the text with a value in place of each reference.
  func filled(with values: [Data]) -> [UInt8] {
    var filled: [UInt8] = []
    var rest = values[...]
    for part in parts {
      switch part {
      case .bytes(let bytes): filled += bytes
      case .request: filled += rest.popFirst() ?? Data()
      }
    }
    return filled
  }

  /// Where a reference begins, with and without the braces before it.
  private struct Start {
    let place: Int
    let text: Int

    var isInBraces: Bool { place != text }
  }

  /// Returns where the next reference begins.
  private static func reference(in bytes: ArraySlice<UInt8>) -> Start? {
    // No reference begins between the braces of another one and its scheme.
    guard let text = ReferenceMap.firstReference(in: bytes) else { return nil }
    let before = bytes[..<text].reversed().drop { $0 == UInt8(ascii: " ") || $0 == 9 }
    // Of three braces, the last two belong to the reference.
    let isInBraces = before.starts(with: [openingBrace, openingBrace])
    return Start(place: isInBraces ? before.startIndex.base - 2 : text, text: text)
  }

  /// Returns where the text of a reference ends, and where the template goes on.
  private static func end(
    of start: Start, in bytes: ArraySlice<UInt8>, _ place: String
  ) throws(VaultError) -> (text: Int, next: Int) {
    if start.isInBraces {
      if let end = closingBraces(in: bytes[start.text...]) { return (end, end + 2) }
      throw VaultError(
        .invalidArgument, "\(place): the reference has no end",
        recoverySuggestion: "write }} after it, in the same line")
    }
    let text = bytes[start.text...]
    guard text.starts(with: ReferenceMap.foreignScheme.utf8) else {
      throw VaultError(
        .invalidArgument, "\(place): the reference is not in double braces",
        recoverySuggestion: "write it as {{ \(SecretReference.scheme)GROUP/SERVICE/ACCOUNT }}")
    }
    let path = text.dropFirst(ReferenceMap.foreignScheme.utf8.count)
    let end = path.firstIndex { !foreignBytes.contains($0) } ?? path.endIndex
    return (end, end)
  }

  /// What a reference of 1Password without braces consists of, after its scheme.
  private static let foreignBytes = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./?=".utf8)

  /// Returns where the braces after a reference begin; nil if its line has none.
  private static func closingBraces(in bytes: ArraySlice<UInt8>) -> Int? {
    var rest = bytes
    while let place = rest.firstIndex(where: { $0 == closingBrace || $0 == newline }), rest[place] == closingBrace {
      rest = rest[(place + 1)...]
      if rest.first == closingBrace { return place }
    }
    return nil
  }
}
