import Coffer
import CofferVault
import CofferAdministration
import CofferStore
import CofferCrypto
import CofferFormat
import CofferExchange
import CofferTestSupport
import Foundation
import Testing

/// Limits on what a host can make a new machine write before that machine can verify anything.
@Suite struct CloneLimitTests {
  private let suite: TwoMachines
  private let new: VaultFolder
  private let directory: TemporaryDirectory

  init() throws {
    suite = try TwoMachines()
    directory = try TemporaryDirectory()
    new = VaultFolder(URL(fileURLWithPath: directory.path("new"), isDirectory: true))
    try FileManager.default.createDirectory(at: new.url, withIntermediateDirectories: true)
  }

  private func download(_ download: VaultDownload = VaultDownload()) -> VaultError? {
    do throws(VaultError) {
      _ = try download.run(from: suite.remote.path, into: new)
      return nil
    } catch {
      return error
    }
  }

  /// Returns the number of bytes of a log that were written.
  private func writtenByteCount() throws -> Int {
    let folder = new.incoming.appending(path: "contents")
    guard FileManager.default.fileExists(atPath: folder.path) else { return 0 }
    // The genesis and the slots of roots are smaller than any sealed file.
    return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: [.fileSizeKey])
      .map { try $0.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0 }.filter { $0 >= 1_024 }.reduce(0, +)
  }

  private func plantNextLogEntry(_ bytes: [UInt8], count: Int = 1) throws {
    let next = try suite.remote.files().count { $0.hasPrefix("log/0/") } + 1
    try suite.remote.tamper { tree in
      for sequence in next..<next + count { try Data(bytes).write(to: tree.appending(path: "log/0/\(sequence)")) }
    }
  }

  @Test func `What may be log entries is written in parts, and all of it is read when it is verified`() throws {
    #expect(download() == nil)
    let whole = try writtenByteCount()
    try FileManager.default.removeItem(at: new.incoming)
    #expect(download(VaultDownload(roundByteCount: whole / 2)) == nil)
    #expect(try (1...whole / 2).contains(writtenByteCount()))
    let text = SecretText(copying: try String(contentsOfFile: suite.key, encoding: .utf8).utf8)
    let enrolment = try Enrolment.begin(in: new, vaultKey: VaultKey(parsing: text))
    let length = try suite.laptop.local.store.read { try $0.publishedLogLength() }
    #expect(try enrolment.vault.store.read { try $0.logLength() } == length)
  }

  @Test func `Bytes that do not start like a sealed log entry are left out before they are written`() throws {
    #expect(download() == nil)
    let whole = try writtenByteCount()
    try FileManager.default.removeItem(at: new.incoming)
    try plantNextLogEntry([UInt8](repeating: 0, count: 1 << 20), count: 5)
    #expect(download() == nil)
    #expect(try writtenByteCount() == whole)
  }

  @Test func `A log entry above the maximum size is left out before it is read, by clones and syncs`() throws {
    #expect(download() == nil)
    let whole = try writtenByteCount()
    try FileManager.default.removeItem(at: new.incoming)
    let envelope = Envelope(
      sealing: [UInt8](repeating: 0, count: Limits.logEnvelopeByteCount), as: .logEntry, key: .random(), generation: 1)
    try plantNextLogEntry(envelope.bytes, count: 2)
    #expect(download() == nil)
    #expect(try writtenByteCount() == whole)
    let sync = try suite.laptop.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("the limit is"), "\(sync)")
  }

  @Test func `The largest allowed log entry, with all its boxes, is within the limit`() {
    let body = [UInt8](repeating: 0, count: Limits.logEntryByteCount + 1_024)
    let boxes = [[UInt8]](repeating: [UInt8](repeating: 0, count: 80), count: Limits.boxes)
    let envelope = Envelope(sealing: body, as: .logEntry, key: .random(), generation: 1, boxes: boxes)
    #expect(envelope.bytes.count <= Limits.logEnvelopeByteCount)
  }
}
