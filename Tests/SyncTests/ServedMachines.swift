import Coffer
import CofferAdministration
import CofferStore
import CofferTestSupport
import CofferVault
import Foundation
import Testing

/// Two machines whose remote a real server offers, which can fail in the middle of a push.
struct ServedMachines {
  enum Transport: CaseIterable, Sendable { case path, ssh, http, daemon }

  /// What the server's git does with the pushes that come, in the language of the shell: `$SERVICE` is the command that
  /// serves the push, `$STATE` a folder, and `garble` replaces what follows the list of references.
  enum Failure: String, CaseIterable, Sendable {
    /// The server's processes are killed after the first bytes of the pack.
    case killedInPack = """
      {
        head -c 700
        until [ -s "$STATE"/service.$$ ]; do sleep 0.1; done
        service=$(cat "$STATE"/service.$$)
        # It has a process group of its own a moment after it has written its number.
        while kill -0 $service && ! kill -9 -$service; do sleep 0.1; done 2>/dev/null
      } | sh -c 'echo $$ > "$STATE"/service.'$$'; exec setsid '"$SERVICE"
      """
    /// The end of the pack never arrives, and nothing is answered. The processes are killed in the end: over HTTP, git
    /// would wait for the rest in an endless loop.
    case silentInPack = """
      {
        head -c 700
        until [ -s "$STATE"/service.$$ ]; do sleep 0.1; done
        service=$(cat "$STATE"/service.$$)
        touch "$STATE"/silent
        while [ -e "$STATE"/failure ]; do sleep 0.1; done
        kill -9 -$service
      } | sh -c 'echo $$ > "$STATE"/service.'$$'; exec setsid '"$SERVICE"
      """
    /// The push lands, and the answer is none of git's.
    case garbageAfterPush = "sh -c \"$SERVICE\" | garble"
    /// No file may become larger than a kilobyte.
    case fullDisk = "trap '' XFSZ; ulimit -f 2; sh -c \"$SERVICE\""
  }

  let two: TwoMachines
  let url: String
  private let state: TemporaryDirectory
  /// Stops when it is released; nil if the remote is a path.
  let server: (any GitServer)?

  var remote: TemporaryRemote { two.remote }
  var laptop: Machine { two.laptop }
  var desktop: Machine { two.desktop }

  // Made once, and its files are only copied.
  nonisolated(unsafe) private static let template = Result {
    let two = try TwoMachines()
    two.deleteAtExit()
    try two.laptop.set("kept", "value")
    try two.laptop.sync()
    try two.desktop.sync()
    return two
  }

  /// - Parameters:
  ///   - transport: How the machines reach the remote.
  ///   - disk: Is given the disk on which the server has the repository; nil for this machine's. Not for a path.
  /// - Throws: An error if a program is missing or does not start.
  init(_ transport: Transport, onSmallDisk disk: ((SmallDisk) -> Void)? = nil) throws {
    two = try unsafe TwoMachines(copying: Self.template.get())
    let wrapper: [String]
    if let disk {
      let small = try two.remote.moveToSmallDisk()
      disk(small)
      wrapper = small.wrapper
    } else {
      wrapper = []
    }
    let enter = wrapper.joined(separator: " ")
    let folder = two.remote.directory.url
    state = try TemporaryDirectory()
    let hook = try state.writeScript("pack-hook", "cat > /dev/null; exec cat '\(state.path)'/pack")
    let prelude = """
      STATE='\(state.path)'; export STATE
      if [ -e "$STATE"/pack ]; then
        export GIT_CONFIG_COUNT=3 GIT_CONFIG_KEY_0=http.receivepack GIT_CONFIG_VALUE_0=true
        export GIT_CONFIG_KEY_1=safe.directory GIT_CONFIG_VALUE_1='*'
        export GIT_CONFIG_KEY_2=uploadpack.packObjectsHook GIT_CONFIG_VALUE_2='\(hook)'
      fi
      """
    let run = "if [ -e \"$STATE\"/failure ]; then . \"$STATE\"/failure; exit 1; fi"
    switch transport {
    case .path:
      (url, server) = (two.remote.path, nil)
      let git = try Command.run("sh", "-c", "command -v git")
      try FileManager.default.createDirectory(atPath: state.path("bin"), withIntermediateDirectories: false)
      try state.writeScript(
        "bin/git",
        """
        \(prelude)
        \(Self.garble)
        if [ "$1" = receive-pack ]; then
          SERVICE="\(git) receive-pack '$3'"
          \(run)
        fi
        exec \(git) "$@"
        """)
      for machine in [two.laptop, two.desktop] {
        machine.environment["PATH"] =
          state.path("bin") + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")
      }
    case .ssh:
      let wrapper = try state.writeScript(
        "wrapper",
        """
        \(prelude)
        \(Self.garble)
        SERVICE=$SSH_ORIGINAL_COMMAND
        case $SERVICE in git-receive-pack*) \(run) ;; esac
        exec \(enter) sh -c "$SERVICE"
        """)
      let ssh = try SSHServer(wrapper: wrapper)
      (url, server) = ("ssh://\(ssh.user)@127.0.0.1:\(ssh.port)\(folder.path)/vault.git", ssh)
      for machine in [two.laptop, two.desktop] { machine.environment["COFFER_SSH_CONFIG"] = ssh.clientConfiguration }
    case .http:
      var options = GitHTTPServer.Options()
      let service = try Command.run("git", "--exec-path") + "/git-http-backend"
      options.backend = try state.writeScript(
        "backend",
        """
        \(prelude)
        garble() {
          cat > /dev/null
          printf 'Content-Type: application/x-git-receive-pack-result\\r\\n\\r\\n'
          head -c 5000 /dev/urandom
        }
        SERVICE=\(service)
        case $PATH_INFO in
          */git-upload-pack) [ ! -e "$STATE"/before-fetch ] || . "$STATE"/before-fetch ;;
        esac
        case $PATH_INFO in */git-receive-pack) \(run) ;; esac
        exec \(enter) "$SERVICE"
        """)
      let http = try GitHTTPServer(folder, options: options)
      (url, server) = (http.url("vault.git"), http)
    case .daemon:
      let daemon = try GitDaemon(folder, wrapper: wrapper)
      (url, server) = (daemon.url("vault.git"), daemon)
    }
    for machine in [two.laptop, two.desktop] {
      try LocalVault.open(VaultFolder(machine.vault)).store.write { [url] in
        try $0.setSetting(.remoteURL, Array(url.utf8))
      }
    }
  }

  /// Passes the list of references on, and then garbage.
  private static let garble = """
    garble() {
      perl -e '
        $| = 1;
        while (read(STDIN, $n, 4) == 4) { print $n; last if $n eq "0000"; read(STDIN, $b, hex($n) - 4); print $b }
        1 while read(STDIN, $b, 65536);
        print "garbage" x 1000'
    }
    """

  /// Makes all pushes fail until ``heal()``.
  func fail(_ failure: Failure) throws { try state.write("failure", failure.rawValue) }

  /// Makes the server answer every fetch with a pack, whatever was asked for, until ``heal()``.
  func serve(pack: [UInt8]) throws { try Data(pack).write(to: URL(fileURLWithPath: state.path("pack"))) }

  /// Runs a command of the shell before each request for objects, until ``heal()``. Over HTTP only.
  func beforeFetch(_ command: String) throws { try state.write("before-fetch", command) }

  /// Makes the server sound again.
  func heal() throws {
    try? FileManager.default.removeItem(atPath: state.path("before-fetch"))
    try? FileManager.default.removeItem(atPath: state.path("pack"))
    // Also ends the processes that are silent.
    try? FileManager.default.removeItem(atPath: state.path("failure"))
    try? remote.setPushHook(nil)
  }

  /// Whether the server has become silent.
  var isSilent: Bool { FileManager.default.fileExists(atPath: state.path("silent")) }

  // MARK: Promises

  /// Expects that a sync with an item of the laptop fails with exit code 7 and an error, and that nothing is lost by
  /// it.
  ///
  /// - Parameters:
  ///   - words: A part of the error.
  ///   - options: More arguments of `coffer sync`.
  ///   - location: Where a failure is reported.
  /// - Throws: An error of a program that must succeed.
  func expectUnsent(_ words: String, _ options: [String] = [], location: SourceLocation = #_sourceLocation) throws {
    try expectUnsent(words, after: laptop.start("coffer", ["sync"] + options).wait(), location: location)
  }

  /// Expects that a sync with an item of the laptop has failed as ``expectUnsent(_:_:location:)`` does.
  ///
  /// - Parameters:
  ///   - words: A part of the error.
  ///   - exitCodes: The exit codes that are right.
  ///   - sync: The outcome of the sync.
  ///   - location: Where a failure is reported.
  /// - Throws: An error of a program that must succeed.
  func expectUnsent(
    _ words: String, _ exitCodes: Set<Int32?> = [7], after sync: Machine.Outcome,
    location: SourceLocation = #_sourceLocation
  ) throws {
    #expect(
      exitCodes.contains(sync.exitCode) && sync.errors.contains(words), "\(sync)", sourceLocation: location)
    #expect(sync.errors.hasPrefix("coffer: "), "\(sync)", sourceLocation: location)
    #expect(try laptop.storedStatus().unsyncedChanges == 1, sourceLocation: location)
    #expect(try laptop.storedValues() == ["kept": "value", "waiting": "here"], sourceLocation: location)
    try expectSound(laptop, location)
  }

  /// Expects that the healed server gets the item once, and both machines have everything.
  ///
  /// - Parameters:
  ///   - segments: The number of segments before.
  ///   - location: Where a failure is reported.
  /// - Throws: An error of a program that must succeed.
  func expectSent(after segments: Int, location: SourceLocation = #_sourceLocation) throws {
    try laptop.sync()
    #expect(try laptop.storedStatus().unsyncedChanges == 0, sourceLocation: location)
    try desktop.sync()
    #expect(try self.segments() == segments + 1, sourceLocation: location)
    for machine in [laptop, desktop] {
      #expect(try machine.storedValues() == ["kept": "value", "waiting": "here"], sourceLocation: location)
      try expectSound(machine, location)
    }
    #expect(try laptop.coffer("sync").hasPrefix("Up to date"), sourceLocation: location)
    try remote.git("fsck", "--connectivity-only")
    let branches = try remote.git("for-each-ref", "--format=%(refname:short)").split(separator: "\n")
    #expect(branches == ["main", "vault-1"], sourceLocation: location)
  }

  /// The number of segments on the vault's branch.
  func segments() throws -> Int { try remote.files().count { $0.hasPrefix("segments/") } }

  private func expectSound(_ machine: Machine, _ location: SourceLocation) throws {
    #expect(
      try machine.coffer("check") == "The store matches its signed objects.", sourceLocation: location)
    // Nothing of an unfinished transfer stays in the cache.
    let cache = machine.vault.appending(path: "cache.git")
    let litter = try FileManager.default.subpathsOfDirectory(atPath: cache.path).filter {
      $0.hasPrefix("refs/") && $0.hasSuffix(".lock") || $0.contains("tmp_") || $0.contains("_git2_")
    }
    #expect(litter.isEmpty, sourceLocation: location)
  }
}
