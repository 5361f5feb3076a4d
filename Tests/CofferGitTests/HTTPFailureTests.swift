import CofferGit
import CofferTestSupport
import Foundation
import Testing

/// What can go wrong with a real server, and what the error says of it.
@Suite struct HTTPFailureTests {
  let fixture: TemporaryRemote
  let authority: CertificateAuthority

  init() throws {
    fixture = try TemporaryRemote()
    authority = try CertificateAuthority()
  }

  /// Lists the references of a remote, and returns the error.
  private func list(
    _ url: String, _ programs: TransportPrograms? = nil, limits: TransferLimits = TemporaryRemote.limits
  ) throws -> GitError? {
    let cache = try fixture.open(UUID().uuidString, programs: programs ?? .forTests(authorities: authority.certificate))
    let url = try RemoteURL(url)
    return failure { _ = try cache.remoteReferences(of: url, limits: limits) }
  }

  /// Pushes a commit with random bytes, and returns the error or the reason of a rejection.
  private func push(_ byteCount: Int, to url: String, _ programs: TransportPrograms? = nil) throws -> String? {
    let cache = try fixture.open(UUID().uuidString, programs: programs ?? .forTests(authorities: authority.certificate))
    var generator = SystemRandomNumberGenerator()
    let content = (0..<byteCount).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let commit = try cache.commit(adding: [("x", content)], onto: nil)
    let remote = try RemoteURL(url)
    do throws(GitError) {
      let outcome = try cache.push(commit, to: branch, at: remote, limits: TemporaryRemote.limits)
      if case .rejected(let reason) = outcome { return reason }
      return nil
    } catch {
      return "\(error) → \(error.recoverySuggestion ?? "")"
    }
  }

  private func server(_ change: (inout GitHTTPServer.Options) throws -> Void = { _ in }) throws -> GitHTTPServer {
    var options = GitHTTPServer.Options()
    options.identity = try authority.identity(for: "127.0.0.1")
    try change(&options)
    return try GitHTTPServer(fixture.directory.url, options: options)
  }

  // MARK: TLS

  @Test func `A certificate counts only if its authority is known, its time is not over and it names the host`() throws
  {
    let good = try server()
    #expect(try list(good.url("remote.git")) == nil)
    let unknown = try list(good.url("remote.git"), .forTests())
    #expect(unknown?.code == .authenticationFailed && unknown?.message.contains("unknown authority") == true)
    #expect(unknown?.recoverySuggestion?.contains("--ca-file FILE") == true)
    let stranger = try CertificateAuthority()
    let other = try list(good.url("remote.git"), .forTests(authorities: stranger.certificate))
    #expect(other?.message.contains("not in the file of --ca-file") == true, "\(String(describing: other))")

    let expired = try server { $0.identity = try authority.identity(for: "127.0.0.1", isExpired: true) }
    let error = try list(expired.url("remote.git"))
    #expect(error?.code == .authenticationFailed && error?.message.contains("has expired") == true)

    let foreign = try server { $0.identity = try authority.identity(for: "example.com") }
    let mismatch = try list(foreign.url("remote.git"))
    #expect(mismatch?.message.contains("is for another host than 127.0.0.1") == true, "\(String(describing: mismatch))")
    #expect([good, expired, foreign].allSatisfy { $0.errors.contains("git-upload-pack") == false })
    #expect(try expired.requests.isEmpty && foreign.requests.isEmpty)
  }

  @Test(arguments: ["TLSv1.2", "TLSv1.3"])
  func `A server with only one version of TLS is reached`(_ version: String) throws {
    let server = try server { $0.protocols = version }
    #expect(try list(server.url("remote.git")) == nil)
  }

  @Test func `Old versions of TLS are refused, and so is a port without TLS`() throws {
    let old = try server {
      $0.protocols = "TLSv1.1"
      $0.directives = "ssl_ciphers ALL:@SECLEVEL=0;"
    }
    let error = try list(old.url("remote.git"))
    #expect(error?.message.contains("versions of TLS before 1.2") == true, "\(String(describing: error))")
    let plain = try GitHTTPServer(fixture.directory.url)
    let wrong = try list(plain.url("remote.git").replacing("http://", with: "https://"))
    #expect(wrong?.message.contains("does not speak TLS at this port") == true, "\(String(describing: wrong))")
  }

  // MARK: Connections

  @Test func `A closed port, an unknown host and an IPv6 address are told apart`() throws {
    let closed = try ClosedPort()
    let refused = try list("https://127.0.0.1:\(closed.number)/x.git")
    let words = "connect to 127.0.0.1 port \(closed.number)"
    #expect(refused?.code == .unreachable && refused?.message.contains(words) == true, "\(String(describing: refused))")
    let unknown = try list("https://does-not-exist.invalid/x.git")
    #expect(unknown?.code == .unreachable && unknown?.message.contains("does-not-exist.invalid") == true)
    #expect(unknown?.recoverySuggestion?.contains("check the host's name") == true)
    let v6 = try GitHTTPServer(fixture.directory.url)
    #expect(try list(v6.url("remote.git", host: "[::1]")) == nil)
    #expect(try list(v6.url("remote.git", host: "localhost")) == nil)
  }

  @Test func `http:// is for this machine only, unless it is allowed`() throws {
    let error = try list("http://example.com/x.git")
    #expect(error?.code == .unsupportedScheme)
    #expect(error?.recoverySuggestion?.contains("--insecure-http http://example.com/x.git") == true)
  }

  // MARK: Answers

  @Test(arguments: [
    (404, "no git repository at", GitError.Code.noRepository), (403, "does not permit it (403)", .permissionDenied),
    (500, "has failed (500)", .unreachable), (503, "has failed (503)", .unreachable),
    (410, "no git repository", .noRepository),
    (429, "asks to wait", .unreachable), (400, "the status 400", .protocolError),
    (204, "the status 204", .protocolError),
  ])
  func `A status that is an error is named, with what the server says in plain text`(
    status: Int, words: String, code: GitError.Code
  ) throws {
    let server = try server {
      $0.directives = """
        location /plain { default_type text/plain; return \(status) "because \u{1b}[31mof\\n it"; }
        location /html { default_type text/html; return \(status) "<p>because</p>"; }
        """
    }
    let error = try list(server.url("plain/x.git"))
    #expect(error?.code == code && error?.message.contains(words) == true, "\(String(describing: error))")
    if status != 204 {
      #expect(
        error?.message.contains("The remote said: because \\u{1B}[31mof it") == true, "\(String(describing: error))")
    }
    let page = try list(server.url("html/x.git"))
    #expect(page?.code == code && page?.message.contains("because") == false)
  }

  @Test func `A page for people, another type and a body that is not git's are not taken for a repository`() throws {
    let server = try server {
      $0.directives = """
        location /login { default_type text/html; return 200 "<html>Log in</html>"; }
        location /text { default_type text/plain; return 200 "0000"; }
        location /dumb { default_type application/x-git-upload-pack-advertisement; return 200 "0123 refs/heads/x"; }
        location /empty { default_type application/x-git-upload-pack-advertisement; return 200; }
        location /other { default_type application/x-git-upload-pack-advertisement;
          return 200 "001f# service=git-receive-pack\n0000"; }
        location /garbage { default_type application/x-git-upload-pack-advertisement;
          return 200 "001e# service=git-upload-pack\n0000zzzz"; }
        """
    }
    let login = try list(server.url("login/x.git"))
    #expect(login?.code == .protocolError && login?.message.contains("a page for people") == true)
    #expect(login?.recoverySuggestion?.contains("open the URL in a browser") == true)
    for name in ["text", "dumb", "empty", "other"] {
      let error = try list(server.url("\(name)/x.git"))
      #expect(
        error?.code == .protocolError && error?.message.contains("something else than git") == true,
        "\(name): \(String(describing: error))")
    }
    #expect(try list(server.url("garbage/x.git"))?.code == .protocolError)
  }

  @Test func `A redirect is followed within the server only, and not for ever`() throws {
    let other = try server()
    let port = other.port
    let server = try server {
      $0.directives = """
        location /moved/ { rewrite ^/moved/(.*)$ /$1 permanent; }
        location /absolute/ { return 307 https://$http_host/remote.git/info/refs?service=git-$arg_x; }
        location /full/ { return 302 https://$http_host/remote.git$is_args$args; }
        location /loop/ { return 302 https://$http_host$request_uri; }
        location /away/ { return 302 https://127.0.0.1:\(port)/remote.git/info/refs?$args; }
        location /plain/ { return 302 http://127.0.0.1/remote.git/info/refs?$args; }
        location /login/ { return 302 https://$http_host/sign-in?next=x; }
        location /nowhere/ { return 302 ""; }
        """
    }
    #expect(try list(server.url("moved/remote.git")) == nil)
    // The requests after the list go to the new place too.
    #expect(try push(2_000_000, to: server.url("moved/remote.git")) == nil)
    #expect(try fixture.revision(branch).count == 40)
    for (name, words) in [
      ("loop", "redirects too often"), ("away", "another server"), ("plain", "which is not encrypted"),
      ("login", "which is no repository"), ("full", "which is no repository"),
    ] {
      let error = try list(server.url("\(name)/remote.git"))
      #expect(
        error?.code == .protocolError && error?.message.contains(words) == true, "\(name): \(String(describing: error))"
      )
      // Nobody is advised to do without encryption.
      #expect(error?.recoverySuggestion?.contains("http://") == false, "\(String(describing: error))")
    }
    #expect(try other.requests.isEmpty)
  }

  @Test func `A push over the server's limit says so, however it is sent`() throws {
    let server = try server { $0.maximumBodySize = "64k" }
    for size in [100_000, 3_000_000] {
      let reason = try push(size, to: server.url("remote.git"))
      #expect(reason?.contains("does not accept a push of this size (413)") == true, "\(reason ?? "accepted")")
      #expect(reason?.contains("client_max_body_size") == true)
    }
    #expect(try push(10_000, to: server.url("remote.git")) == nil)
  }

  @Test func `A repository that refuses says why`() throws {
    let server = try server()
    try Command.run("git", "-C", fixture.remotePath, "config", "receive.maxInputSize", "50000")
    let tooLarge = try push(100_000, to: server.url("remote.git"))
    #expect(
      tooLarge?.contains("maximum allowed size") == true || tooLarge?.contains("unpack") == true,
      "\(tooLarge ?? "accepted")")
    try Command.run("git", "-C", fixture.remotePath, "config", "--unset", "receive.maxInputSize")
    let readable = try self.server { $0.gitDirectives = "if ($arg_service = git-receive-pack) { return 403; }" }
    let forbidden = try push(100, to: readable.url("remote.git"))
    #expect(forbidden?.contains("does not permit it (403)") == true, "\(forbidden ?? "accepted")")
  }
}
