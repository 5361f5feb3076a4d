import CofferTestSupport
import Foundation
import Testing

/// Requests of other sites, other programs and other users.
@Suite struct RequestGuardTests {
  private let inspector: RunningInspector
  private let session: RunningInspector.Session

  init() throws {
    (inspector, session) = try RunningInspector.shared()
  }

  /// A way to name a server that is not this one, or not exactly.
  static let foreignHosts = [
    "evil.example", "127.0.0.1", "localhost", "127.0.0.1:1", "PORT.evil.example", "localhost.evil.example:PORT",
    "127.0.0.1:PORT.evil.example", "127.0.0.2:PORT", "LOCALHOST:PORT", "localhost.:PORT", "[::1%1]:PORT", "::1:PORT",
    "0.0.0.0:PORT", "2130706433:PORT", "127.1:PORT", "evil@127.0.0.1:PORT", "127.0.0.1:0PORT", "127.0.0.1:PORT,evil",
  ]

  @Test(arguments: foreignHosts)
  func `A request that names another host is refused, as after DNS rebinding`(host: String) throws {
    let host = host.replacingOccurrences(of: "PORT", with: "\(inspector.port)")
    for path in ["/", "/session", "/assets/inspector.css", "/items"] {
      let response = try inspector.send("GET", path, ["Host": host], as: session)
      #expect(response.status == 403, "\(response)")
      #expect(!response.text.contains(session.csrf))
    }
  }

  @Test func `The three names of this machine are accepted, each for its own pages`() throws {
    for host in ["127.0.0.1", "[::1]", "localhost"] {
      let own = "\(host):\(inspector.port)"
      #expect(try inspector.send("GET", "/", ["Host": own], as: session).status == 200)
      let write = try inspector.send(
        "POST", "/nothing", ["Host": own, "Origin": "http://\(own)"], form: "csrf=\(session.csrf)", as: session)
      #expect(write.status == 404)
    }
    // A page of one name is foreign to another.
    let mixed = try inspector.send(
      "POST", "/nothing", ["Origin": "http://localhost:\(inspector.port)"], form: "csrf=\(session.csrf)", as: session)
    #expect(mixed.status == 403)
  }

  @Test(arguments: [
    ["Origin": "http://evil.example"], ["Origin": "https://127.0.0.1:PORT"], ["Origin": "http://127.0.0.1:1"],
    ["Origin": "http://127.0.0.1"], ["Origin": "http://127.0.0.1:PORT.evil.example"], ["Origin": "file://"],
    ["Origin": "http://127.0.0.1:PORT/"], ["Origin": "null", "Sec-Fetch-Site": ""],
    ["Origin": "null", "Sec-Fetch-Site": "cross-site"], ["Origin": "", "Sec-Fetch-Site": ""],
    ["Origin": "", "Sec-Fetch-Site": "none"], ["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "same-site"],
    ["Sec-Fetch-Site": "none"], ["Sec-Fetch-Site": "same-origin, cross-site"], ["Sec-Fetch-Site": "SAME-ORIGIN"],
  ])
  func `A write that no page of this server has sent is refused, even with cookie and token`(
    headers: [String: String]
  ) throws {
    let headers = headers.mapValues { $0.replacingOccurrences(of: "PORT", with: "\(inspector.port)") }
    for path in ["/lock", "/unlock", "/session", "/items"] {
      let response = try inspector.send("POST", path, headers, form: "csrf=\(session.csrf)", as: session)
      #expect(response.status == 403, "\(headers): \(response)")
    }
    #expect(try inspector.send("GET", "/", as: session).status == 200)
  }

  @Test func `A form that hides its origin is accepted if the browser says that it is this site's`() throws {
    let response = try inspector.send(
      "POST", "/nothing", ["Origin": "null"], form: "csrf=\(session.csrf)", as: session)
    #expect(response.status == 404)
  }

  @Test(arguments: ["same-site", "cross-site", "other"])
  func `Another port of this machine, and another site, read nothing with the cookie`(site: String) throws {
    for path in ["/items", "/groups/a", "/session"] {
      #expect(try inspector.send("GET", path, ["Sec-Fetch-Site": site], as: session).status == 403)
    }
    let entry = try inspector.send("GET", "/", ["Sec-Fetch-Site": site], as: session)
    #expect(entry.status == 200 && !entry.text.contains("csrf"))
    let foreign = try inspector.send("GET", "/items", ["Origin": "http://127.0.0.1:1"], as: session)
    #expect(foreign.status == 403)
  }

  @Test func `Without a session nothing answers but the entry page and the assets`() throws {
    let paths = [
      "/items", "/groups/a", "/apps", "/machines", "/log", "/access", "/conflicts", "/certificates", "/keys", "/sync",
      "/health", "/import", "/items/export", "/pair",
      "/session", "/lock", "//", "/.", "/./", "/%2e", "/index.html", "/?x", "/%2F", "/assets", "/assetsx",
    ]
    for path in paths where path != "/?x" {
      for headers in [[:], ["Cookie": "coffer-session-\(inspector.port)="], ["Cookie": "a; b=; =c;;"]] {
        let response = try inspector.send("GET", path, headers)
        #expect(response.status == 403, "\(path)")
      }
    }
    for path in ["/lock", "/unlock", "/items", "/sync/start"] {
      #expect(try inspector.send("POST", path, form: "csrf=\(session.csrf)").status == 403)
    }
    // Almost a session.
    let name = "coffer-session-\(inspector.port)"
    let value = session.cookie.dropFirst(name.count + 1)
    for cookie in [
      "\(name)=\(value.dropLast())", "\(name)=\(value)0", "\(name)=\(value.uppercased())x", "\(name)x=\(value)",
      "\(name)=\"\(value)\"", "\(name)=\(inspector.token)", "\(name)=\(session.csrf)",
    ] {
      #expect(try inspector.send("GET", "/items", ["Cookie": cookie]).status == 403, "\(cookie)")
    }
  }

  @Test func `Cookies of other servers beside the session's do not end it`() throws {
    let name = "coffer-session-\(inspector.port)"
    let response = try inspector.send("GET", "/", ["Cookie": "\(name)=planted; a=b; \(session.cookie)"])
    #expect(response.status == 200 && response.text.contains(session.csrf))
  }

  @Test func `A write requires the CSRF token of its session`() throws {
    for form in ["", "csrf=", "csrf=\(session.csrf.dropLast())", "csrf=\(session.csrf)0", "x=\(session.csrf)"] {
      #expect(try inspector.send("POST", "/lock", form: form, as: session).status == 403, "\(form)")
    }
    let header = try inspector.send(
      "POST", "/lock", ["X-Coffer-CSRF": "wrong"], form: "csrf=\(session.csrf)", as: session)
    #expect(header.status == 403)
    #expect(try inspector.send("POST", "/lock", ["Content-Length": "0"], as: session).status == 403)
    for type in ["text/plain", "multipart/form-data; boundary=x", "application/json", ""] {
      let response = try inspector.send(
        "POST", "/lock", ["Content-Type": type], form: "csrf=\(session.csrf)", as: session)
      #expect(response.status == 415, "\(type)")
    }
    #expect(try inspector.send("GET", "/", as: session).status == 200, "nothing of this has locked the vault")
    let script = try inspector.send(
      "POST", "/nothing", ["X-Coffer-CSRF": session.csrf, "Content-Length": "0"], as: session)
    #expect(script.status == 404)
  }

  @Test(arguments: ["OPTIONS", "TRACE", "PUT", "DELETE", "PATCH", "CONNECT", "PROPFIND", "get", "LOCK"])
  func `Only GET, HEAD and POST are methods`(method: String) throws {
    let connection = try RawConnection(port: inspector.port)
    try connection.send(inspector.request(method, "/", as: session))
    let response = try connection.response()
    // Methods are case-sensitive.
    #expect(response.status == (method == "get" ? 400 : 405), "\(response)")
    #expect(!response.text.contains(session.csrf))
    #expect(response.headers["access-control-allow-origin"] == nil)
  }

  @Test func `A header does not change the method, the path or the host`() throws {
    let overrides = [
      "X-HTTP-Method-Override": "POST", "X-Method-Override": "POST", "X-Original-URL": "/lock",
      "X-Rewrite-URL": "/lock", "X-Forwarded-Host": "evil.example", "Forwarded": "host=evil.example",
    ]
    let response = try inspector.send("GET", "/", overrides, as: session)
    #expect(response.status == 200 && !response.text.contains("evil.example"))
    #expect(try inspector.send("GET", "/lock", overrides, as: session).status == 404)
    #expect(try inspector.send("GET", "/?_method=POST", as: session).status == 200)
    #expect(try inspector.send("GET", "/", as: session).status == 200)
  }

  @Test func `HEAD answers as GET without the body`() throws {
    for (path, session) in [
      ("/", session as RunningInspector.Session?), ("/", nil), ("/assets/enter.js", nil), ("/x", nil),
    ] {
      let get = try inspector.send("GET", path, as: session)
      let head = try inspector.send("HEAD", path, as: session)
      #expect(head.status == get.status && head.headers == get.headers && head.body.isEmpty, "\(path)")
    }
  }

  @Test(arguments: [
    "/assets/", "/assets/x", "/assets/../CofferInspectCommand.swift", "/assets/..%2f..%2fetc%2fpasswd",
    "/assets/%2e%2e/%2e%2e/etc/passwd", "/assets//etc/passwd", "/assets/..;/etc/passwd", "/assets/enter.js%00",
    "/assets/enter.js/", "/assets/./enter.js", "/assets/ENTER.JS", "/assets/enter%2ejs", "/assets/..\\..\\etc\\passwd",
    "/assets/%252e%252e/etc/passwd", "/assets/\u{2025}/etc/passwd", "/assets/%c0%ae%c0%ae/etc/passwd",
  ])
  func `Assets are found by their exact names alone`(path: String) throws {
    let response = try inspector.send("GET", path)
    // Only ASCII is a target.
    #expect(response.status == (path.utf8.allSatisfy { $0 < 0x80 } ? 404 : 400), "\(response)")
    #expect(!response.text.contains("root:"))
  }

  @Test func `Assets have their types, and need no session`() throws {
    for (name, type) in [
      ("enter.js", "text/javascript"), ("inspector.js", "text/javascript"), ("inspector.css", "text/css"),
    ] {
      let response = try inspector.send("GET", "/assets/\(name)?v=1")
      #expect(response.status == 200 && response["content-type"] == "\(type); charset=utf-8")
      #expect(!response.body.isEmpty && response["content-length"] == "\(response.body.count)")
    }
  }

  @Test func `Every response has the headers that protect it, also to requests that reach no page`() throws {
    var responses = [
      try inspector.send("GET", "/", as: session), try inspector.send("GET", "/"), try inspector.send("GET", "/x"),
      try inspector.send("GET", "/x", as: session), try inspector.send("GET", "/assets/enter.js"),
      try inspector.send("GET", "/", ["Host": "evil"]), try inspector.send("POST", "/lock", form: "", as: session),
      try inspector.send("TRACE", "/"), try inspector.exchange("wrong"),
      try inspector.send("GET", "/session", as: session),
    ]
    for raw in [
      "GET / HTTP/1.0\r\n\r\n", "nonsense\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "GET x HTTP/1.1\r\nHost: a\r\n\r\n",
    ] {
      let connection = try RawConnection(port: inspector.port)
      try connection.send(raw)
      responses.append(try connection.response())
    }
    let policy = """
      default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; \
      base-uri 'none'; frame-ancestors 'none'
      """
    let expected = [
      "content-security-policy": policy, "cache-control": "no-store", "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff", "x-frame-options": "DENY", "cross-origin-opener-policy": "same-origin",
      "cross-origin-embedder-policy": "require-corp", "cross-origin-resource-policy": "same-origin",
    ]
    for response in responses {
      for (name, value) in expected { #expect(response[name] == value, "\(name) of \(response)") }
      #expect(response["permissions-policy"]?.contains("camera=()") == true)
      #expect(response["server"] == nil && response["access-control-allow-origin"] == nil)
      if response.status != 204 && !response.body.isEmpty { #expect(response["content-type"] != nil) }
    }
  }
}
