package import Foundation

#if canImport(Glibc)
  private import Glibc
#elseif canImport(Musl)
  private import Musl
#else
  private import Darwin
#endif

/// A real nginx on a loopback port that serves the bare repositories of a folder with git's own CGI program.
package final class GitHTTPServer: GitServer {
  package struct Options {
    /// The server's certificate, or nil for HTTP without encryption.
    package var identity: CertificateAuthority.Identity?
    /// The versions of TLS.
    package var protocols = "TLSv1.2 TLSv1.3"
    /// User name and password that the server asks for; nil for none.
    package var login: (user: String, password: String)?
    /// Further directives of the server, in nginx's language.
    package var directives = ""
    /// Directives of the location that runs git.
    package var gitDirectives = ""
    /// Whether programs of the tests run git instead of the server's own.
    package var backend: String?
    /// The maximum size of a request.
    package var maximumBodySize = "1g"

    package init() {}
  }

  /// The folder with the repositories.
  package let repositories: URL
  package let port: UInt16
  private let isSecure: Bool
  private let directory: TemporaryDirectory
  private let sockets: [String]
  private var nginx: SpawnedProgram
  private var wrappers: [SpawnedProgram]

  /// The log of the requests, a line each: method, path, status, the user name, the cookies that they had, and the
  /// encoding of the answer. Has all requests of clients that have ended.
  package var requests: [String] {
    get throws {
      // A request is logged after it was answered. nginx, which has one thread, logs this one after all others.
      let mark = UUID().uuidString
      try Command.run(
        "python3", "-c",
        """
        import socket, sys
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(sys.argv[1])
        connection.sendall(f"GET \(Self.markPath){sys.argv[2]} HTTP/1.0\\r\\n\\r\\n".encode())
        while connection.recv(4096): pass
        """, directory.path("log"), mark)
      var lines: [Substring] = []
      try waitUntil("nginx has logged the requests") {
        lines = text(directory.path("access.log")).split(separator: "\n")
        return lines.contains { $0.contains(mark) }
      }
      return lines.filter { !$0.contains(Self.markPath) }.map(String.init)
    }
  }

  /// The path of requests of which only the lines in the log matter.
  private static let markPath = "/mark-in-log/"

  /// What nginx and the CGI programs have said.
  package var errors: String { text(directory.path("error.log")) }

  /// Returns the URL of a repository.
  package func url(_ name: String, host: String = "127.0.0.1", user: String? = nil) -> String {
    "\(isSecure ? "https" : "http")://\(user.map { "\($0)@" } ?? "")\(host):\(port)/\(name)"
  }

  /// Starts the server and returns when it accepts connections.
  ///
  /// - Parameters:
  ///   - folder: The folder with the repositories; nil for a new one.
  ///   - options: How to serve them.
  /// - Throws: An error if a program is missing or does not start.
  package init(_ folder: URL? = nil, options: Options = Options()) throws {
    directory = try TemporaryDirectory()
    isSecure = options.identity != nil
    repositories = folder ?? directory.url.appending(path: "repositories")
    try FileManager.default.createDirectory(at: repositories, withIntermediateDirectories: true)
    // A process runs one program at a time. It could start more itself, which would outlive it.
    sockets = (1...3).map { [directory] in directory.path("cgi\($0)") }
    wrappers = try Self.startWrappers(sockets)
    // Another program may take a port that was free a moment ago.
    for _ in 1...20 {
      let port = try ClosedPort().number
      try directory.write("nginx.conf", Self.configuration(options, port, directory, repositories, sockets))
      if let process = try Self.startNginx(port, directory) {
        (self.port, nginx) = (port, process)
        return
      }
    }
    throw SpawnedProgram.Failure(description: "nginx finds no free port")
  }

  private static func startWrappers(_ sockets: [String]) throws -> [SpawnedProgram] {
    let wrapper = try program("fcgiwrap")
    for socket in sockets { try? FileManager.default.removeItem(atPath: socket) }
    let wrappers = try sockets.map {
      try SpawnedProgram(
        [wrapper, "-f", "-s", "unix:\($0)"],
        environment: [
          "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null", "GIT_CONFIG_COUNT": "2",
          "GIT_CONFIG_KEY_0": "http.receivepack", "GIT_CONFIG_VALUE_0": "true",
          "GIT_CONFIG_KEY_1": "safe.directory", "GIT_CONFIG_VALUE_1": "*",
        ])
    }
    try waitUntil("fcgiwrap listens") { sockets.allSatisfy(FileManager.default.fileExists) }
    return wrappers
  }

  /// Returns nil if another program has the port.
  private static func startNginx(_ port: UInt16, _ directory: TemporaryDirectory) throws -> SpawnedProgram? {
    let log = directory.path("error.log")
    // nginx leaves it behind if it was killed.
    try? FileManager.default.removeItem(atPath: directory.path("log"))
    let process = try SpawnedProgram([
      program("nginx"), "-p", directory.path, "-c", directory.path("nginx.conf"), "-e", log,
    ])
    try waitUntil("nginx listens") { !process.isRunning || answers(port) }
    if process.isRunning { return process }
    let text = FileManager.default.contents(atPath: log).map { String(decoding: $0, as: UTF8.self) }
    guard text?.contains("Address already in use") == true else {
      throw SpawnedProgram.Failure(description: "nginx does not start: \(text ?? "")")
    }
    return nil
  }

  package func kill() { for process in [nginx] + wrappers { process.killWithDescendants() } }

  package func restart() throws {
    wrappers = try Self.startWrappers(sockets)
    try waitUntil("nginx has its port again") {
      guard let process = try Self.startNginx(port, directory) else { return false }
      nginx = process
      return true
    }
  }

  deinit { stop() }

  /// Ends the server. Can be called repeatedly.
  package func stop() {
    nginx.end()
    // A thread of the tests may block the other signals, which these then inherit.
    for wrapper in wrappers { wrapper.end(signal: SIGKILL) }
  }

  /// Creates a bare repository and returns its path.
  @discardableResult
  package func makeRepository(_ name: String = "vault.git") throws -> String {
    let path = repositories.appending(path: name).path
    try Command.run("git", "init", "-q", "--bare", path)
    return path
  }

  private func text(_ path: String) -> String {
    FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  private static func program(_ name: String) throws -> String {
    let folders = ["/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin", "/opt/homebrew/bin"]
    guard let path = folders.map({ "\($0)/\(name)" }).first(where: FileManager.default.isExecutableFile) else {
      throw SpawnedProgram.Failure(description: "\(name) is not installed: run Scripts/bootstrap --with servers")
    }
    return path
  }

  private static func answers(_ port: UInt16) -> Bool {
    (try? TCPConnection(port: port)) != nil
  }

  private static func configuration(
    _ options: Options, _ port: UInt16, _ directory: TemporaryDirectory, _ repositories: URL, _ sockets: [String]
  ) throws -> String {
    var login = ""
    if let (user, password) = options.login {
      let hash = try Command.run("openssl", "passwd", "-apr1", password)
      let file = try directory.write("htpasswd", "\(user):\(hash)\n", permissions: 0o644)
      login = "auth_basic git; auth_basic_user_file \(file);"
    }
    let tls = options.identity.map {
      "ssl_certificate \($0.certificate); ssl_certificate_key \($0.key); ssl_protocols \(options.protocols);"
    }
    let core = try Command.run("git", "--exec-path")
    // Workers of root would run as nobody, who cannot read the folder.
    return """
      daemon off; worker_processes 1; pid \(directory.path("nginx.pid")); \(getuid() == 0 ? "user root root;" : "")
      events { worker_connections 256; }
      http {
        log_format short '$request_method $request_uri $status "$remote_user" "$http_cookie" $sent_http_content_encoding';
        access_log \(directory.path("access.log")) short;
        client_body_temp_path \(directory.path("body")); fastcgi_temp_path \(directory.path("fastcgi"));
        proxy_temp_path \(directory.path("proxy")); uwsgi_temp_path \(directory.path("uwsgi"));
        scgi_temp_path \(directory.path("scgi"));
        upstream git { least_conn; \(sockets.map { "server unix:\($0);" }.joined()) }
        server {
          listen unix:\(directory.path("log"));
          return 204;
        }
        server {
          listen 127.0.0.1:\(port)\(options.identity == nil ? "" : " ssl");
          listen [::1]:\(port)\(options.identity == nil ? "" : " ssl");
          \(tls ?? "")
          client_max_body_size \(options.maximumBodySize);
          \(login)
          \(options.directives)
          location / {
            \(options.gitDirectives)
            fastcgi_pass git;
            fastcgi_param SCRIPT_FILENAME \(options.backend ?? "\(core)/git-http-backend");
            fastcgi_param GIT_PROJECT_ROOT \(repositories.path);
            fastcgi_param GIT_HTTP_EXPORT_ALL 1;
            fastcgi_param PATH_INFO $uri;
            fastcgi_param QUERY_STRING $query_string;
            fastcgi_param REQUEST_METHOD $request_method;
            fastcgi_param CONTENT_TYPE $content_type;
            fastcgi_param CONTENT_LENGTH $content_length;
            fastcgi_param HTTP_CONTENT_ENCODING $http_content_encoding;
            fastcgi_param REMOTE_USER $remote_user;
            fastcgi_param REMOTE_ADDR $remote_addr;
          }
        }
      }
      """
  }
}
