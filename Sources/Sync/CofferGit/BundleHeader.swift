/// The text at the beginning of a git bundle of version 2: which commits are in it, by the names of their references.
struct BundleHeader {
  static let signature = "# v2 git bundle\n"
  /// A bundle of Coffer has two references. One of git may have as many as a repository.
  static let maximumByteCount = 1 << 20

  let references: [String: ObjectID]

  /// The header's bytes, for references in this order.
  static func bytes(_ references: [(name: String, commit: ObjectID)]) -> [UInt8] {
    Array((signature + references.map { "\($0.commit) \($0.name)\n" }.joined() + "\n").utf8)
  }

  /// Reads the header at the beginning of a bundle. Returns nil if more bytes are needed, and otherwise also the number of its
  /// bytes. Throws `.rejected` for anything else than a bundle that stands alone.
  static func read(_ bytes: [UInt8], context: String) throws(GitError) -> (header: BundleHeader, byteCount: Int)? {
    let signature = Array(signature.utf8)
    guard bytes.prefix(signature.count).elementsEqual(signature.prefix(bytes.count)) else {
      throw GitError(.rejected, "it is no git bundle of version 2", context: context)
    }
    var references: [String: ObjectID] = [:]
    var start = signature.count
    while start < bytes.count, let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
      let line = bytes[start..<end]
      start = end + 1
      if line.isEmpty { return (BundleHeader(references: references), start) }
      guard line.first != UInt8(ascii: "-") else {
        throw GitError(.rejected, "it needs commits that are not in it", context: context)
      }
      guard let (name, commit) = reference(line) else {
        throw GitError(.rejected, "a line of its header is malformed", context: context)
      }
      guard references.updateValue(commit, forKey: name) == nil else {
        throw GitError(.rejected, "its header names a reference twice", context: context)
      }
    }
    guard bytes.count < maximumByteCount else {
      throw GitError(.tooLarge, "its header is longer than \(maximumByteCount) bytes", context: context)
    }
    return nil
  }

  /// Reads a line: 40 hexadecimal digits, a space and the name of a reference.
  private static func reference(_ line: ArraySlice<UInt8>) -> (name: String, commit: ObjectID)? {
    guard line.count > 41, line[line.startIndex + 40] == UInt8(ascii: " "),
      let name = String(validating: line.dropFirst(41), as: UTF8.self), name.hasPrefix("refs/"),
      let commit = ObjectID(hexadecimal: line.prefix(40))
    else { return nil }
    return (name, commit)
  }
}

extension ObjectID {
  /// Reads 40 lower-case hexadecimal digits; nil for anything else.
  fileprivate init?(hexadecimal digits: ArraySlice<UInt8>) {
    let values = digits.compactMap { digit -> UInt8? in
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
      default: nil
      }
    }
    guard values.count == 40 else { return nil }
    self.init(bytes: stride(from: 0, to: 40, by: 2).map { values[$0] << 4 | values[$0 + 1] })
  }
}
