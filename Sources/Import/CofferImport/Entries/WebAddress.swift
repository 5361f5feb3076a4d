internal import CofferSystem

/// The parts of a URL that an internet password has.
struct WebAddress {
  let server: String
  private let scheme: String
  private let port: Int?
  private let path: String

  /// Reads a URL with a scheme that Keychain knows, or a host name alone; nil for anything else.
  init?(_ text: String) {
    var rest = text[...]
    if let end = text.firstRange(of: "://") {
      scheme = text[..<end.lowerBound].lowercased()
      rest = text[end.upperBound...]
      guard URLScheme.protocols[scheme] != nil else { return nil }
    } else {
      guard text.contains("."), !text.contains(":") else { return nil }
      scheme = ""
    }
    let authority = rest.prefix { !"/?#".contains($0) }
    guard !authority.contains("@"), text.utf8.allSatisfy({ $0 > 32 && $0 < 127 }) else { return nil }
    path = String(rest.dropFirst(authority.count).prefix { !"?#".contains($0) })
    var host = authority
    var number: Int?
    if let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") {
      guard let value = Int(authority[authority.index(after: colon)...]), (1...65_535).contains(value) else {
        return nil
      }
      number = value
      host = authority[..<colon]
    }
    guard !host.isEmpty else { return nil }
    server = String(host)
    port = number
  }

  /// The attributes by Keychain's codes.
  var attributes: [String: ImportLine.Attribute] {
    var attributes: [String: ImportLine.Attribute] = ["srvr": .text(server)]
    if let code = URLScheme.protocols[scheme] {
      attributes["ptcl"] = .text(code)
      if let port { attributes["port"] = .number(Int64(port)) }
    }
    if !path.isEmpty, path != "/" { attributes["path"] = .text(path) }
    return attributes
  }

  /// Whether the attributes say all of the URL, but for the slash of a server's own page.
  func isWhole(_ url: String) -> Bool {
    let text = (scheme.isEmpty ? "" : "\(scheme)://") + server + (port.map { ":\($0)" } ?? "")
    return url == text + path
  }
}
