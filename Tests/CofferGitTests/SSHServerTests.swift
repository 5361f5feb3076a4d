import CofferGit
import CofferTestSupport
import Foundation
import Testing

/// Keys and configurations of ssh that users have.
@Suite struct SSHServerTests {
  private let fixture: TemporaryRemote

  init() throws { fixture = try TemporaryRemote() }

  @Test(arguments: ["rsa", "ecdsa"])
  func `A host key and a client key of another type than Ed25519 are as good`(keyType: String) throws {
    let server = try SSHServer(keyType: keyType)
    let programs = TransportPrograms(sshConfiguration: server.clientConfiguration)
    let cache = try fixture.open("cache", programs: programs)
    let commit = try cache.commit(adding: [("x", bytes("1"))], onto: nil)
    // By the alias that the configuration gives to the host.
    let url = try RemoteURL("coffer-test:\(fixture.remotePath)")
    #expect(try cache.push(commit, to: branch, at: url, limits: TemporaryRemote.limits) == .accepted)
    let reader = try fixture.open("reader", programs: programs)
    try reader.fetch([branch: scratch], from: url, limits: TemporaryRemote.limits)
    #expect(try reader.reference(scratch) == commit)
    let wrong = try fixture.open(
      "wrong", programs: TransportPrograms(sshConfiguration: server.clientConfigurationWithWrongHostKey))
    let error = failure { _ = try wrong.remoteReferences(of: url, limits: TemporaryRemote.limits) }
    #expect(error?.code == .authenticationFailed && error?.message.contains("host key") == true)
  }

  @Test func `A server whose host key is unknown is refused before anything is sent, with the command that shows it`()
    throws
  {
    let server = try SSHServer()
    let configuration = server.clientConfigurationWithoutHostKey
    let programs = TransportPrograms(sshConfiguration: configuration)
    let cache = try fixture.open("cache", programs: programs)
    let url = try RemoteURL("ssh://\(server.user)@127.0.0.1:\(server.port)\(fixture.remotePath)")
    let error = failure { _ = try cache.remoteReferences(of: url, limits: TemporaryRemote.limits) }
    #expect(error?.code == .authenticationFailed)
    #expect(error?.message.hasPrefix("the host key is unknown or has changed; the remote said: ") == true)
    #expect(
      error?.recoverySuggestion
        == "compare it with the server's, then try: ssh -F \(configuration) -p \(server.port) \(server.user)@127.0.0.1")
    // ssh has not made it known by the attempt.
    #expect(failure { _ = try cache.remoteReferences(of: url, limits: TemporaryRemote.limits) } == error)
  }
}
