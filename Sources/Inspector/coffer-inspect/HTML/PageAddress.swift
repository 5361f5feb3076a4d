/// The address of a page of the inspector: a path of encoded parts, a query and a fragment, and never another host.
struct PageAddress: Sendable, Equatable {
  private let parts: [String]
  private var query: [(name: String, value: String)] = []
  private var fragment: String?
  private var isHere = false

  /// Creates the address of a page from the parts of its path, as they are before encoding. None gives the overview.
  init(_ parts: String...) { self.parts = parts }

  private init(parts: [String]) { self.parts = parts }

  /// The address of a page or an action below this one.
  func appending(_ parts: String...) -> PageAddress { PageAddress(parts: self.parts + parts) }

  /// The address with another parameter, which is left out if it is empty.
  func with(_ name: String, _ value: String?) -> PageAddress {
    guard let value, !value.isEmpty else { return self }
    var result = self
    result.query.append((name, value))
    return result
  }

  /// The address of an element of the page that contains the link.
  static func here(_ id: String) -> PageAddress {
    var result = PageAddress(parts: [])
    result.fragment = id
    result.isHere = true
    return result
  }

  /// The address of the element with an id.
  func at(_ id: String) -> PageAddress {
    var result = self
    result.fragment = id
    return result
  }

  /// The address as a link contains it. It begins with one slash, so that a browser takes it for a path of this host.
  var text: String {
    var text = isHere ? "" : "/" + parts.map(Self.encoded).joined(separator: "/")
    if !query.isEmpty {
      text += "?" + query.map { "\(Self.encoded($0.name))=\(Self.encoded($0.value))" }.joined(separator: "&")
    }
    if let fragment { text += "#" + Self.encoded(fragment) }
    return text
  }

  /// Text of which only letters, digits and `-._~` are left as they are.
  private static func encoded(_ part: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in part.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        bytes.append(byte)
      default:
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  static func == (one: PageAddress, other: PageAddress) -> Bool { one.text == other.text }
}
