#if os(Linux)
  import CofferTestSupport
  import CofferTesting
  import CofferVault
  import Foundation
  import Testing

  /// Who can change what a path leads to, and what is loaded into a program.
  @Suite(.enabled(if: geteuid() == 0, "only root can make files of several users"))
  struct ProtectedPathTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Makes a file, and the folders above it, or a link.
    private func make(_ path: String, leadingTo target: String? = nil, owner: Int = 0, mode: Int = 0o755) throws {
      let place = directory.path(path)
      let folder = URL(fileURLWithPath: place).deletingLastPathComponent().path
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      if let target {
        try FileManager.default.createSymbolicLink(atPath: place, withDestinationPath: target)
        try Command.run("chown", "--no-dereference", "\(owner)", place)
      } else {
        try Data().write(to: URL(fileURLWithPath: place))
        try change(path, owner: owner, mode: mode)
      }
    }

    private func change(_ path: String, owner: Int = 0, mode: Int) throws {
      try FileManager.default.setAttributes(
        [.posixPermissions: mode, .ownerAccountID: owner], ofItemAtPath: directory.path(path))
    }

    private func weakness(_ path: String) -> String? { ProtectedPath.weakness(of: directory.path(path)) }

    @Test func `A file, a folder or a link of another user on the way is named`() throws {
      try make("a/b/file")
      #expect(weakness("a/b/file") == nil)
      #expect(weakness("a/b/missing") == nil)
      try change("a/b/file", owner: 1000, mode: 0o644)
      #expect(weakness("a/b/file")?.hasSuffix("a/b/file belongs to another user than root (uid 1000)") == true)
      try change("a/b/file", mode: 0o664)
      #expect(weakness("a/b/file")?.hasSuffix("a/b/file can be written by others than root (mode 664)") == true)
      try change("a/b/file", mode: 0o644)
      try change("a/b", owner: 1000, mode: 0o755)
      #expect(weakness("a/b/file")?.contains("a/b belongs to another user") == true)
      #expect(weakness("a/b/missing")?.contains("a/b belongs to another user") == true)
    }

    @Test func `Links in the middle, links to links and links to nothing are followed through every folder`() throws {
      try make("root/file")
      try make("open/file")
      try change("open", mode: 0o777)
      // The link is root's, and the folder in which it is.
      try make("links/middle", leadingTo: directory.path("root"))
      #expect(weakness("links/middle/file") == nil)
      #expect(try ProtectedPath.follow(directory.path("links/middle/file"))?.path == directory.path("root/file"))
      // It leads through a link that anybody can exchange, to a file of root.
      try make("open/detour", leadingTo: directory.path("root"))
      try make("links/exchangeable", leadingTo: directory.path("open/detour"))
      #expect(weakness("links/exchangeable/file")?.contains("open can be written by others") == true)
      #expect(weakness("links/exchangeable/missing")?.contains("open can be written by others") == true)
      // What does not exist yet, in a folder of anybody.
      try make("links/dangling", leadingTo: directory.path("open/later"))
      #expect(weakness("links/dangling")?.contains("open can be written by others") == true)
      try make("links/missing", leadingTo: directory.path("root/later"))
      #expect(weakness("links/missing") == nil)
      #expect(try ProtectedPath.follow(directory.path("links/missing")) == nil)
      try make("links/relative", leadingTo: "../links/middle/../root/./file")
      #expect(weakness("links/relative") == nil)
      try make("links/foreign", leadingTo: directory.path("root"), owner: 1000)
      #expect(weakness("links/foreign/file")?.contains("links/foreign belongs to another user") == true)
      try make("links/loop", leadingTo: "loop")
      #expect(weakness("links/loop")?.contains("leads nowhere") == true)
    }

    @Test func `A sticky folder is passed to a folder of root, and not to a name that others can make`() throws {
      try make("shared/own/file")
      try make("shared/file")
      try change("shared", mode: 0o1777)
      #expect(weakness("shared/own/file") == nil)
      for path in ["shared", "shared/file", "shared/missing", "shared/missing/file"] {
        #expect(weakness(path)?.contains("shared can be written by others than root (mode 1777)") == true, "\(path)")
      }
      try change("shared/own", owner: 1000, mode: 0o755)
      #expect(weakness("shared/own/file")?.contains("own belongs to another user") == true)
      #expect(throws: Never.self) {
        let file = try ProtectedPath.follow(directory.path("shared/own/file"), owners: [1000])
        #expect(file?.owner == 0)
      }
    }

    // MARK: Programs

    private func program(_ options: String..., named name: String = "program") throws -> String {
      let source = try directory.write("main.c", "int f(void); int main(void) { return 0; }\n")
      try Command.run(arguments: ["clang", source, "-o", directory.path(name), "-Wl,--no-as-needed"] + options)
      return directory.path(name)
    }

    private func library(_ path: String, soname: String = "libone.so", _ options: String...) throws -> String {
      let source = try directory.write("library.c", "int f(void) { return 0; }\n")
      try FileManager.default.createDirectory(
        at: URL(fileURLWithPath: directory.path(path)).deletingLastPathComponent(), withIntermediateDirectories: true)
      try Command.run(
        arguments: ["clang", "-shared", "-fPIC", source, "-o", directory.path(path), "-Wl,-soname,\(soname)"] + options)
      return directory.path(path)
    }

    private func expectObstacle(
      _ words: String, _ program: String, at location: SourceLocation = #_sourceLocation
    ) {
      let obstacles = InstallableProgram.obstacles(ofProgramAt: program)
      #expect(obstacles.contains { $0.contains(words) }, "\(obstacles)", sourceLocation: location)
    }

    @Test func `A loader and libraries that others than root can change are named`() throws {
      #expect(try InstallableProgram.obstacles(ofProgramAt: program()) == [])
      try make("foreign/loader", owner: 1000)
      expectObstacle("its loader", try program("-Wl,--dynamic-linker=\(directory.path("foreign/loader"))"))
      expectObstacle("not an absolute path", try program("-Wl,--dynamic-linker=loader"))
      for folder in ["$LIB", "/opt/$LIB", "/opt/$PLATFORM/lib"] {
        expectObstacle("a folder that the loader completes", try program("-Wl,-rpath,\(folder)"))
      }
      #expect(try InstallableProgram.obstacles(ofProgramAt: program("-Wl,-rpath,$ORIGIN/../lib")) == [])
      expectObstacle("the relative folder", try program("-Wl,-rpath,lib"))
    }

    @Test func `A library that is named by its path is examined, and one in a relative folder is refused`() throws {
      let path = try library("foreign/libone.so", soname: directory.path("foreign/libone.so"))
      #expect(try InstallableProgram.obstacles(ofProgramAt: program(path)) == [])
      try change("foreign", owner: 1000, mode: 0o755)
      expectObstacle("it needs the library \(path)", try program(path))
      expectObstacle(
        "it needs the library 'lib/two.so', which is not an absolute path",
        try program(library("two.so", soname: "lib/two.so")))
    }

    @Test func `The folders of libraries, and of their libraries, count as those of the program`() throws {
      try make("foreign/file")
      try change("foreign", owner: 1000, mode: 0o755)
      let inner = try library("root/libinner.so", soname: "libinner.so", "-Wl,-rpath,\(directory.path("foreign"))")
      let outer = try library(
        "root/libouter.so", soname: "libouter.so", "-Wl,--no-as-needed", inner, "-Wl,-rpath,\(directory.path("root"))")
      let made = try program(outer, "-Wl,-rpath,\(directory.path("root"))", "-Wl,-rpath-link,\(directory.path("root"))")
      expectObstacle("libinner.so searches libraries where others than root can put them", made)
      // A variant for the processor beside it.
      _ = try library("root/libinner.so", soname: "libinner.so")
      #expect(InstallableProgram.obstacles(ofProgramAt: made) == [])
      try FileManager.default.createDirectory(
        atPath: directory.path("root/glibc-hwcaps/x86-64-v2"), withIntermediateDirectories: true)
      try change("root/glibc-hwcaps/x86-64-v2", owner: 1000, mode: 0o755)
      expectObstacle("x86-64-v2 belongs to another user", made)
    }
  }
#endif
