import CofferSystem
import CofferTestSupport
import Foundation
import Testing

@Suite struct TreeRemovalTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    try FileManager.default.createDirectory(
      atPath: directory.path("outside"), withIntermediateDirectories: false)
  }

  private func exists(_ path: String) -> Bool { (try? FileManager.default.attributesOfItem(atPath: path)) != nil }

  @Test func `A folder goes with everything in it, and no link is followed`() throws {
    let victim = try directory.write("outside/victim", "kept")
    let script = """
      cd "$1" && mkdir -p tree/a/b tree/.hidden && touch tree/a/b/file tree/.hidden/file && mkfifo tree/pipe \
        && ln -s ../../outside tree/a/link && ln -s ../outside/victim tree/file && ln -s outside link
      """
    try Command.run("sh", "-c", script, "sh", directory.path)
    for name in ["tree/", "link"] { try removeTree(directory.path(name)) }
    #expect(!exists(directory.path("tree")) && !exists(directory.path("link")))
    #expect(try String(contentsOfFile: victim, encoding: .utf8) == "kept")
    // What is not there needs no deletion.
    for name in ["tree", "none/at/all"] { try removeTree(directory.path(name)) }
    try removeTree(victim)
    #expect(!exists(victim))
  }

  @Test func `A folder that is exchanged for a link all the time leads to no file outside`() throws {
    let victim = try directory.write("outside/victim", "kept")
    let folder = directory.path("draft")
    let link = directory.path("link")
    let outside = directory.path("outside")
    let makeFiles = "mkdir -p \"$1/apps\" && cd \"$1/apps\" && touch victim $(seq 200)"
    for _ in 0..<50 {
      try Command.run("sh", "-c", makeFiles, "sh", folder)
      try Command.run("ln", "-s", outside, link)
      // What the other program has exchanged may stay.
      try whileExchanging(folder + "/apps", link) { try? removeTree(folder) }
      #expect(exists(victim))
      try removeTree(link)
      try removeTree(folder)
    }
  }

  #if os(Linux)
    @Test func `A tree goes whatever the bytes of its names are, and however deep it is`() async {
      // In a process of its own, which may open few files.
      await #expect(processExitsWith: .success) {
        let directory = try TemporaryDirectory()
        let script = """
          import os, sys
          os.chdir(sys.argv[1])
          os.makedirs(b"names/\\xff\\xfe")
          for name in [b"names/\\x80", b"names/\\xff\\xfe/\\xc3"]: open(name, "w").close()
          os.mkdir("deep")
          os.chdir("deep")
          for level in range(2000):
              for name in ["folder", "other"]: os.mkdir(name)
              open("file", "w").close()
              os.chdir("folder")
          """
        try Command.run("python3", "-c", script, directory.path)
        try Command.run("prlimit", "--pid", "\(getpid())", "--nofile=200:200")
        for name in ["names", "deep"] {
          try removeTree(directory.path(name))
          #expect(!FileManager.default.fileExists(atPath: directory.path(name)), "\(name)")
        }
      }
    }
  #endif

  #if os(Linux)
    @Test(.enabled(if: geteuid() == 0, "only root can make a file that this process cannot delete"))
    func `A link that cannot be deleted is not followed`() async {
      // As another user, who may delete what is outside, and not the link: it is root's, in a sticky folder of root's.
      await #expect(processExitsWith: .success) {
        let directory = try TemporaryDirectory()
        let script = """
          cd "$1" && mkdir -m 1777 tree && mkdir outside && touch outside/victim && ln -s ../outside tree/link \
            && chown 65534 outside outside/victim && chmod 777 .
          """
        try Command.run("sh", "-c", script, "sh", directory.path)
        try #require(setegid(65534) == 0 && seteuid(65534) == 0)
        #expect(throws: SystemError.self) { try removeTree(directory.path("tree")) }
        #expect(FileManager.default.fileExists(atPath: directory.path("outside/victim")))
        try #require(seteuid(0) == 0)
      }
    }
  #endif

  @Test func `A name that leads elsewhere is refused`() throws {
    for path in [directory.path("."), directory.path(".."), "/"] {
      #expect(throws: SystemError.self, "\(path)") { try removeTree(path) }
    }
    #expect(exists(directory.path))
  }
}
