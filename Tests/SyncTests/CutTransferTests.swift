import CofferStore
import CofferTestSupport
import CofferVault
import Foundation
import Testing

/// Connections that break at any byte while a machine fetches the branch of the next epoch.
@Suite struct CutTransferTests {
  enum Transport: CaseIterable, Sendable { case ssh, https, daemon }

  /// A desktop that has something to send and reaches the remote through a proxy, after the laptop has begun another
  /// epoch.
  private struct Scene {
    let machines: EpochMachines
    let proxy: CuttingProxy
    private let server: any GitServer
    private let authority: CertificateAuthority?

    // Made once, and their files are only copied.
    nonisolated(unsafe) private static let templates = Result {
      try [false, true].map { isKept in
        let machines = try EpochMachines()
        machines.two.deleteAtExit()
        try machines.desktop.set("unsent", "2")
        _ = try isKept ? machines.laptop.coffer("compact", "--keep") : machines.laptop.coffer("compact")
        return machines.two
      }
    }

    /// - Parameters:
    ///   - transport: How the desktop reaches the remote.
    ///   - isKept: Whether the branch of the ended epoch stays.
    /// - Throws: An error if a program is missing or does not start.
    init(_ transport: Transport, isKept: Bool) throws {
      machines = try EpochMachines(TwoMachines(copying: unsafe Self.templates.get()[isKept ? 1 : 0]))
      let folder = machines.remote.directory
      let url: String
      switch transport {
      case .ssh:
        let ssh = try SSHServer()
        proxy = try CuttingProxy(to: ssh.port)
        (server, authority) = (ssh, nil)
        url = "ssh://\(ssh.user)@127.0.0.1:\(proxy.port)\(folder.path)/vault.git"
        let configuration = try String(contentsOfFile: ssh.clientConfiguration, encoding: .utf8)
          .replacing("Port \(ssh.port)\n", with: "Port \(proxy.port)\n  HostKeyAlias [127.0.0.1]:\(ssh.port)\n")
        machines.desktop.environment["COFFER_SSH_CONFIG"] = try folder.write("ssh_config", configuration)
      case .https:
        let authority = try CertificateAuthority()
        var options = GitHTTPServer.Options()
        options.identity = try authority.identity(for: "127.0.0.1")
        let http = try GitHTTPServer(folder.url, options: options)
        proxy = try CuttingProxy(to: http.port)
        (server, self.authority) = (http, authority)
        url = "https://127.0.0.1:\(proxy.port)/vault.git"
      case .daemon:
        let daemon = try GitDaemon(folder.url)
        proxy = try CuttingProxy(to: daemon.port)
        (server, authority) = (daemon, nil)
        url = "git://127.0.0.1:\(proxy.port)/vault.git"
      }
      try machines.desktop.local.store.write { [authority] in
        try $0.setSetting(.remoteURL, Array(url.utf8))
        if let authority { try $0.setSetting(.remoteCertificateAuthorities, Array(authority.certificate.utf8)) }
      }
    }

    /// How many bytes the connection that fetches the branch has in a direction.
    func byteCount(_ direction: CuttingProxy.Direction) throws -> Int {
      try machines.sync(machines.desktop)
      let fetch = try proxy.connections().max {
        $0.byteCounts[.toClient, default: 0] < $1.byteCounts[.toClient, default: 0]
      }
      return try #require(fetch?.byteCounts[direction])
    }

    /// The epochs' branches, and the tip of the ended one.
    func branches() throws -> [String] { try machines.branches() + [machines.remote.tip] }
  }

  @Test(arguments: Transport.allCases, CuttingProxy.Direction.allCases)
  func `Wherever the fetch of the next epoch breaks, the next sync unites the vault, and an ended epoch gets nothing`(
    transport: Transport, _ direction: CuttingProxy.Direction
  ) throws {
    for isKept in TestRun.rows([false, true]) {
      let whole = try Scene(transport, isKept: isKept).byteCount(direction)
      let number = isKept ? 4 : 12
      // ssh sends what comes at once in one packet, of which each has bytes of its own: how many bytes it takes
      // depends on the load of the machine.
      let partCount = transport == .ssh ? number + 2 : number
      let counts = (0..<number).map { 1 + $0 * (whole - 1) / partCount }
      for count in TestRun.rows(counts) {
        let place = Comment(rawValue: "\(count) of \(whole) bytes, \(isKept ? "kept" : "deleted")")
        let scene = try Scene(transport, isKept: isKept)
        let (machines, proxy) = (scene.machines, scene.proxy)
        let branches = try scene.branches()
        try proxy.cut(after: count, direction)
        let outcome = try machines.desktop.run("coffer", "sync")
        #expect(outcome.exitCode != 0 && outcome.errors.hasPrefix("coffer: "), "\(place): \(outcome)")
        #expect(try proxy.connections().contains { $0.wasCut }, place)
        #expect(try scene.branches() == branches, place)
        proxy.heal()
        try machines.sync(machines.desktop, machines.laptop, machines.desktop)
        #expect(try scene.branches() == branches, place)
        try machines.expect(["kept": "1", "changed": "old", "unsent": "2"], on: machines.laptop, machines.desktop)
      }
    }
  }
}
