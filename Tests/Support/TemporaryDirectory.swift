package import Foundation
private import Synchronization

/// A new directory that is deleted with its contents when the object is released.
package final class TemporaryDirectory {
  package let url: URL

  /// The folder of new ones; nil for the folder for temporary files, which can be below /dev: Flatpak shares nothing of
  /// that.
  @TaskLocal package static var parent: URL?

  package init() throws {
    let parent = Self.parent ?? FileManager.default.temporaryDirectory
    url = parent.appendingPathComponent("coffer-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  deinit {
    do {
      try FileManager.default.removeItem(at: url)
    } catch CocoaError.fileNoSuchFile {
      // The test has deleted it.
    } catch {
      FileHandle.standardError.write(Data("cannot remove \(url.path): \(error)\n".utf8))
    }
  }

  package var path: String { url.path }

  private static let directoriesUntilExit = Mutex<[URL]>([])

  /// Deletes the directory when the process ends. For an object that a static property holds, which is never released.
  package func deleteAtExit() {
    let isFirst = Self.directoriesUntilExit.withLock { directories in
      directories.append(url)
      return directories.count == 1
    }
    guard isFirst else { return }
    atexit {
      for url in TemporaryDirectory.directoriesUntilExit.withLock({ $0 }) {
        try? FileManager.default.removeItem(at: url)
      }
    }
  }

  /// Returns the path of an entry.
  package func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  /// Writes a file and returns its path.
  @discardableResult
  package func write(_ name: String, _ text: String, permissions: Int = 0o600) throws -> String {
    let path = path(name)
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
    return path
  }

  /// Makes an empty bare repository and returns its path. Unlike those of `git init`, it has no examples of hooks,
  /// which every copy would have, and git starts no garbage collection after a push.
  @discardableResult
  package func makeRepository(_ name: String) throws -> String {
    for folder in ["hooks", "objects/info", "objects/pack", "refs/heads", "refs/tags"] {
      try FileManager.default.createDirectory(atPath: path("\(name)/\(folder)"), withIntermediateDirectories: true)
    }
    try write("\(name)/HEAD", "ref: refs/heads/main\n")
    try write(
      "\(name)/config",
      "[core]\nrepositoryformatversion = 0\nbare = true\n[receive]\nautogc = false\n")
    return path(name)
  }

  /// Writes an executable shell script and returns its path.
  @discardableResult
  package func writeScript(_ name: String, _ text: String) throws -> String {
    let source = try write("\(UUID().uuidString).source", "#!/bin/sh\n\(text)\n")
    // Copied by a child: while this process writes a file, a child that another thread starts may inherit the open
    // descriptor, and the kernel does not execute a file that is open for writing.
    try Command.run("install", "-m", "755", source, path(name))
    return path(name)
  }
}
