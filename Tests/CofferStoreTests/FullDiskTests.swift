import CofferFormat
import CofferTestSupport
import Foundation
import Testing

@testable import CofferStore

/// A small file system in memory, unmounted when the object is released.
private final class SmallDisk {
  let folder: String

  init?(byteCount: Int) throws {
    folder = try TemporaryStore.makeFolder()
    guard Self.run("mount", "-t", "tmpfs", "-o", "size=\(byteCount),mode=700", "tmpfs", folder) else {
      try FileManager.default.removeItem(atPath: folder)
      return nil
    }
  }

  deinit {
    // A program that another test has just started holds this process's files until it begins, so the disk can be busy:
    // it leaves the folder now and ends with the last of them.
    let isUnmounted = Self.run("umount", "--lazy", folder)
    if !isUnmounted || (try? FileManager.default.removeItem(atPath: folder)) == nil {
      Issue.record("left behind: \(folder)")
    }
  }

  func remount(_ option: String) -> Bool { Self.run("mount", "-o", "remount,\(option)", folder) }

  private static func run(_ arguments: String...) -> Bool { (try? Command.run(arguments: arguments)) != nil }

  static var isAvailable: Bool {
    do { return try SmallDisk(byteCount: 1 << 16) != nil } catch { return false }
  }
}

@Suite(
  .serialized,
  .enabled(if: SmallDisk.isAvailable, "mounting a small tmpfs needs root and the right to mount"))
struct FullDiskTests {
  private let samples = SampleRecords()

  @Test func `A full disk is diskFull and writes nothing, and writes succeed again when there is space`() throws {
    let disk = try #require(try SmallDisk(byteCount: 2 << 20))
    let store = try Store.create(at: disk.folder + "/vault", genesis: [1], rootSlot: [2])
    let kept = samples.record("kept")
    try store.insert([kept])
    let large = samples.record("large", value: [UInt8](repeating: 1, count: 4 << 20))
    let error = #expect(throws: StoreError.self) { try store.insert([samples.record("small"), large]) }
    #expect(error?.code == .diskFull)
    #expect(try store.heads(samples.item("kept"), samples.group) == [kept.hash])
    #expect(try store.heads(samples.item("small"), samples.group).isEmpty)
    try store.checkIntegrity()
    #expect(disk.remount("size=32m"))
    try store.insert([large])
    #expect(try store.heads(samples.item("large"), samples.group) == [large.hash])
  }

  @Test func `Creating a store on a full disk is diskFull and leaves no file`() throws {
    let disk = try #require(try SmallDisk(byteCount: 16 << 10))
    let error = #expect(throws: StoreError.self) {
      _ = try Store.create(at: disk.folder + "/vault", genesis: [1], rootSlot: [2])
    }
    #expect(error?.code == .diskFull)
    #expect(try FileManager.default.contentsOfDirectory(atPath: disk.folder).isEmpty)
  }

  @Test func `A read-only file system is reported as such`() throws {
    let disk = try #require(try SmallDisk(byteCount: 2 << 20))
    do { _ = try Store.create(at: disk.folder + "/vault", genesis: [1], rootSlot: [2]) }
    #expect(disk.remount("ro"))
    let opening = #expect(throws: StoreError.self) {
      try Store.open(at: disk.folder + "/vault").insert([samples.record("a")])
    }
    #expect(opening?.code == .readOnly)
    let creating = #expect(throws: StoreError.self) {
      _ = try Store.create(at: disk.folder + "/other", genesis: [1], rootSlot: [2])
    }
    #expect(creating?.code == .readOnly)
  }
}
