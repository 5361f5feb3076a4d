import Testing

@testable import CofferTransport

@Suite struct RemoteAddressTests {
  private func address(_ text: String) throws -> RemoteAddress { try #require(RemoteAddress(text)) }

  @Test(arguments: [
    "", "https://", "https:///x", "ftp://host/x", "file:///x", "host/x", "https://me@host/x", "https://me:word@host/x",
    "https://host/x?y", "https://host/x#y", "https://host\\evil/x", "https://host/x y", "https://host/x\n",
    "https://host\r\nX: y/", "https://host:0/x", "https://host:65536/x", "https://host:/x", "https://host:-1/x",
    "https://höst/x", "https://host/\u{0}", "git://host/x\u{7f}", "https://host:80@evil/x", "https://@host/x",
    "https://me:word@host/@jane/x", "https://me@host@evil/x", "https://host?@evil/x", "https://host\\@evil/x",
  ])
  func `An address with more than scheme, host, port and path is refused`(_ text: String) {
    #expect(RemoteAddress(text) == nil)
  }

  @Test func `An at sign in a path belongs to the path, and leads to no other server`() throws {
    for path in ["/@jane/vault.git", "/jane@example.org:x/vault.git"] {
      let url = "https://host:8443\(path)"
      #expect(try address(url).text == url)
      #expect(try address(url).authority == "host:8443" && address(url).path == path)
    }
  }

  @Test func `Two spellings of a server are one, and the standard port is none`() throws {
    #expect(try address("HTTPS://Example.COM:443/x") == address("https://example.com/x"))
    #expect(try address("http://example.com:80/x") == address("http://example.com/x"))
    #expect(try address("https://example.com:80/x").authority == "example.com:80")
    #expect(try address("https://[::1]:8443/x").authority == "[::1]:8443")
    #expect(try address("https://[::1]/x").effectivePort == 443)
    #expect(try address("git://host/x").effectivePort == 9418)
  }

  @Test(arguments: [
    ("https://a.org/x", "https://a.org/y", true), ("https://a.org/x", "https://A.org:443/y", true),
    ("http://a.org/x", "https://a.org/x", true), ("https://a.org:8443/x", "https://a.org:8443/y", true),
    ("https://a.org/x", "http://a.org/x", false), ("https://a.org/x", "https://b.org/x", false),
    ("https://a.org/x", "https://a.org:444/x", false), ("https://a.org/x", "https://a.org.evil.org/x", false),
    ("https://a.org/x", "https://evil.a.org/x", false), ("http://a.org:8080/x", "https://a.org/x", false),
    ("http://a.org/x", "https://a.org:8443/x", false), ("https://a.org/x", "git://a.org/x", false),
    ("http://127.0.0.1/x", "http://localhost/x", false), ("https://[::1]/x", "https://[::1]/y", true),
  ])
  func `A redirect may lead to the same server only, and never away from encryption`(
    from: String, to: String, isPermitted: Bool
  ) throws {
    #expect(try address(from).permitsRedirect(to: address(to)) == isPermitted)
  }

  @Test func `Only names and addresses of this machine are this machine`() throws {
    for host in ["localhost", "127.0.0.1", "[::1]"] { #expect(try address("http://\(host)/x").isLoopback) }
    for host in ["localhost.evil.org", "127.0.0.1.evil.org", "128.0.0.1", "[::2]", "0x7f.1.evil.org", "example.com"] {
      #expect(try !address("http://\(host)/x").isLoopback, "\(host)")
    }
  }
}
