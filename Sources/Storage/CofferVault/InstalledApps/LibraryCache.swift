internal import CofferPlatform
internal import CofferSystem

/// The loader's list of libraries, which ldconfig writes (glibc's `dl-cache.h`, "glibc-ld.so.cache1.1").
struct LibraryCache: Sendable {
  private let paths: [String: [String]]

  static let path = "/etc/ld.so.cache"
  private static let magic = Array("glibc-ld.so.cache1.1".utf8)
  private static let (headerByteCount, entryByteCount) = (48, 24)
  private static let maximumByteCount = 16 << 20

  /// Reads the list of this system, which is empty if it has none. Nil for one of another form, which a loader may know.
  static func read() -> LibraryCache? {
    guard !isAbsent(path) else { return LibraryCache(paths: [:]) }
    return (try? RegularFile.open(path, followsLinks: false).read(upTo: maximumByteCount)).flatMap { LibraryCache($0) }
  }

  private init(paths: [String: [String]]) { self.paths = paths }

  init?(_ bytes: [UInt8]) {
    guard bytes.starts(with: Self.magic), bytes.count >= Self.headerByteCount else { return nil }
    func number(_ place: Int) -> Int { (0..<4).reversed().reduce(0) { $0 << 8 | Int(bytes[place + $1]) } }
    func text(_ start: Int) -> String? {
      guard start < bytes.count, let end = bytes[start...].firstIndex(of: 0) else { return nil }
      return String(decoding: bytes[start..<end], as: UTF8.self)
    }
    var paths: [String: [String]] = [:]
    let count = min(number(20), (bytes.count - Self.headerByteCount) / Self.entryByteCount)
    for index in 0..<count {
      let place = Self.headerByteCount + index * Self.entryByteCount
      if let name = text(number(place + 4)), let path = text(number(place + 8)) {
        paths[name, default: []].append(path)
      }
    }
    self.paths = paths
  }

  /// Returns the files that have a name.
  func places(of library: String) -> [String] { paths[library] ?? [] }
}
