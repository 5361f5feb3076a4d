/// Names and addresses of this machine itself, as URLs spell them.
package enum LoopbackName {
  /// Returns whether the host of a URL is this machine: `localhost`, an address that begins with 127, or `::1`, with or
  /// without brackets. False for every other name, whatever it resolves to.
  package static func contains(_ host: String) -> Bool {
    let host = host.lowercased()
    if ["localhost", "::1", "[::1]"].contains(host) { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127"
      && parts.allSatisfy { UInt8($0) != nil && $0.utf8.first != UInt8(ascii: "+") }
  }
}
