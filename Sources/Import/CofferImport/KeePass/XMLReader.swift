internal import CExpat
internal import CofferPlatform
internal import CofferSystem

/// Reads an XML document element by element, with limits. It refuses a document type, and with it all entities but the
/// five of XML: no document grows when it is read.
@safe final class XMLReader {
  private static let maximumDepth = 256
  private static let maximumTextByteCount = 64 << 20
  private static let maximumChildCount = 100_000

  /// Whether a completed element stays in its parent. It receives the element and what contains it, from the outermost.
  private let ended: (XMLElement, [XMLElement]) throws -> Bool
  private var open = [XMLElement.document()]
  private var failure: (any Error)?
  private var parser: XML_Parser?

  private init(_ ended: @escaping (XMLElement, [XMLElement]) throws -> Bool) { self.ended = ended }

  /// Reads a file, and calls `ended` with each element that has ended.
  static func read(
    _ file: borrowing InputFile, _ ended: @escaping (XMLElement, [XMLElement]) throws -> Bool
  ) throws {
    try XMLReader(ended).run(file)
  }

  private func run(_ file: borrowing InputFile) throws {
    guard let parser = unsafe XML_ParserCreate("UTF-8") else {
      throw ImportError("the memory is full", recoverySuggestion: "close other programs, and import again")
    }
    defer { unsafe XML_ParserFree(parser) }
    unsafe self.parser = unsafe parser
    unsafe XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
    unsafe XML_SetElementHandler(
      parser,
      { context, name, attributes in
        guard let name = unsafe name else { return }
        var found: [String: String] = [:]
        var place = unsafe attributes
        while let key = unsafe place?[0], let value = unsafe place?[1] {
          unsafe found[String(cString: key)] = unsafe String(cString: value)
          unsafe place = place?.advanced(by: 2)
        }
        unsafe XMLReader.reader(context)?.begin(String(cString: name), found)
      }, { context, _ in unsafe XMLReader.reader(context)?.end() })
    unsafe XML_SetCharacterDataHandler(parser) { context, text, count in
      unsafe XMLReader.reader(context)?.add(UnsafeRawBufferPointer(start: text, count: Int(count)))
    }
    unsafe XML_SetDoctypeDeclHandler(
      parser,
      { context, _, _, _, _ in
        unsafe XMLReader.reader(context)?.stop(
          ImportError.malformed("export of KeePassXC", "it declares a document type, which could expand without end"))
      }, nil)
    var offset = 0
    while true {
      let chunk = try file.bytes(at: offset, count: min(1 << 20, file.byteCount - offset))
      offset += chunk.count
      let isLast = chunk.isEmpty || offset >= file.byteCount
      let status = unsafe chunk.withUnsafeBytes { bytes in
        unsafe XML_Parse(
          parser, bytes.assumingMemoryBound(to: CChar.self).baseAddress, Int32(bytes.count), isLast ? 1 : 0)
      }
      if let failure { throw failure }
      guard status == XML_STATUS_OK else {
        let line = unsafe XML_GetCurrentLineNumber(parser)
        throw ImportError.malformed("export of KeePassXC", "line \(line) is no well-formed XML")
      }
      if isLast { return }
    }
  }

  private static func reader(_ context: UnsafeMutableRawPointer?) -> XMLReader? {
    unsafe context.map { unsafe Unmanaged<XMLReader>.fromOpaque($0).takeUnretainedValue() }
  }

  private func begin(_ name: String, _ attributes: [String: String]) {
    guard failure == nil else { return }
    guard open.count <= Self.maximumDepth else {
      return stop(ImportError.malformed("export of KeePassXC", "it has more than \(Self.maximumDepth) levels"))
    }
    open.append(open[open.count - 1].begin(name, attributes))
  }

  private func end() {
    guard failure == nil, let element = open.popLast(), let parent = open.last else { return }
    do {
      guard try ended(element, open) else { return }
      guard parent.children.count < Self.maximumChildCount else {
        throw ImportError.malformed("export of KeePassXC", "an element has more than \(Self.maximumChildCount) parts")
      }
      parent.keep(element)
    } catch {
      stop(error)
    }
  }

  private func add(_ text: UnsafeRawBufferPointer) {
    guard failure == nil, let element = open.last else { return }
    guard element.bytes.count + text.count <= Self.maximumTextByteCount else {
      return stop(
        ImportError.malformed(
          "export of KeePassXC", "a text has more than \(Self.maximumTextByteCount.byteCountText)"))
    }
    unsafe element.append(text)
  }

  private func stop(_ error: any Error) {
    failure = error
    if let parser = unsafe parser { _ = unsafe XML_StopParser(parser, 0) }
  }
}
