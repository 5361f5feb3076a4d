import CofferGit
import CofferTestSupport
import Foundation
import Testing

/// Promises about the whole process, each tested in a separate process.
@Suite struct ProcessSafetyTests {
  let fixture: TemporaryRemote

  init() throws {
    fixture = try TemporaryRemote()
  }

  @Test func `Fifty operations, successful or not, leave no open descriptor and no zombie`() async throws {
    let silent = try fixture.installSSH("exec sleep 600").ssh
    let writer = try fixture.open("writer")
    let tip = try writer.commit(adding: [("x", bytes("1"))], onto: nil)
    #expect(try writer.push(tip, to: branch, at: fixture.url, limits: TemporaryRemote.limits) == .accepted)
    let (remote, cache) = (fixture.remotePath, fixture.directory.path("cache"))
    await #expect(processExitsWith: .success) {
      [remote = remote as String, cache = cache as String, silent = silent as String] in
      let url = try RemoteURL(remote)
      let absent = try RemoteURL(remote + ".absent")
      var short = TemporaryRemote.limits
      short.connectTimeout = .milliseconds(50)
      func round() throws {
        let repository = try Repository.open(
          at: cache, creatingIfNeeded: true, programs: TransportPrograms(ssh: silent))
        try repository.fetch([branch: scratch], from: url, limits: TemporaryRemote.limits)
        let tip = try #require(try repository.reference(scratch))
        let next = try repository.commit(adding: [("y", bytes("\(UUID())"))], onto: tip)
        #expect(try repository.push(next, to: branch, at: url, limits: TemporaryRemote.limits) == .accepted)
        #expect(failure { _ = try repository.remoteReferences(of: absent, limits: TemporaryRemote.limits) } != nil)
        let silent = try RemoteURL("host:x")
        #expect(failure { _ = try repository.remoteReferences(of: silent, limits: short) }?.code == .timedOut)
      }
      try round()
      let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
      for _ in 0..<12 { try round() }
      #expect(try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count == descriptors)
      var children = ""
      for task in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task") {
        children += try String(contentsOfFile: "/proc/self/task/\(task)/children", encoding: .utf8)
      }
      #expect(children == "")
    }
  }

  @Test func `A process killed during a fetch leaves a cache that the next one can use`() async throws {
    let writer = try fixture.open("writer")
    let files = (0..<100).map { (path: "d/\($0)", bytes: (0..<2000).map { _ in UInt8.random(in: 0...255) }) }
    let tip = try writer.commit(adding: files, onto: nil)
    #expect(try writer.push(tip, to: branch, at: fixture.url, limits: TemporaryRemote.limits) == .accepted)
    let (remote, cache) = (fixture.remotePath, fixture.directory.path("cache"))
    await #expect(processExitsWith: .signal(SIGKILL)) { [remote = remote as String, cache = cache as String] in
      let repository = try Repository.open(at: cache, creatingIfNeeded: true, programs: TransportPrograms())
      try repository.fetch([branch: scratch], from: RemoteURL(remote), limits: TemporaryRemote.limits) { progress in
        if progress.receivedObjects > 50 { kill(getpid(), SIGKILL) }
      }
    }
    let packs = cache + "/objects/pack"
    #expect(try FileManager.default.contentsOfDirectory(atPath: packs).count { $0.hasPrefix("pack_") } == 1)
    let repository = try fixture.open("cache")
    #expect(try FileManager.default.contentsOfDirectory(atPath: packs).isEmpty)
    try repository.fetch([branch: scratch], from: fixture.url, limits: TemporaryRemote.limits)
    #expect(try repository.reference(scratch) == tip)
  }

  @Test func `The user's git configuration and git's environment variables redirect nothing`() async throws {
    let writer = try fixture.open("writer")
    let tip = try writer.commit(adding: [("x", bytes("1"))], onto: nil)
    #expect(try writer.push(tip, to: branch, at: fixture.url, limits: TemporaryRemote.limits) == .accepted)
    let home = fixture.directory.path
    try fixture.directory.write(
      ".gitconfig",
      """
      [url "/absent/"]
        insteadOf = coffer://
        insteadOf = /
      [core]
        repositoryformatversion = 99

      """)
    let (remote, cache, expected) = (fixture.remotePath, fixture.directory.path("cache"), "\(tip)")
    await #expect(processExitsWith: .success) {
      [remote = remote as String, cache = cache as String, home = home as String, expected = expected as String] in
      unsafe setenv("HOME", home, 1)
      for (name, value) in [
        ("GIT_DIR", "/absent"), ("GIT_WORK_TREE", "/absent"), ("GIT_INDEX_FILE", "/absent"),
        ("GIT_OBJECT_DIRECTORY", "/absent"), ("GIT_NAMESPACE", "absent"), ("GIT_PROTOCOL", "version=2"),
        ("GIT_TRACE", "2"),
      ] {
        unsafe setenv(name, value, 1)
      }
      let repository = try Repository.open(at: cache, creatingIfNeeded: true, programs: TransportPrograms())
      try repository.fetch([branch: scratch], from: RemoteURL(remote), limits: TemporaryRemote.limits)
      #expect(try repository.reference(scratch)?.description == expected)
    }
  }
}
