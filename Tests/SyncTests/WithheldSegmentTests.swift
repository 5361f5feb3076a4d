import Coffer
import CofferVault
import CofferCrypto
import CofferFormat
import CofferStore
import CofferTestSupport
import CofferTrust
import Foundation
import Testing

@Suite struct WithheldSegmentTests {
  /// Returns the streams' folders on the remote.
  private func streams(_ remote: TemporaryRemote) throws -> Set<String> {
    Set(try remote.files().filter { $0.hasPrefix("segments/") }.map { String($0.split(separator: "/")[1]) })
  }

  @Test func `A segment that another machine has read is requested at every sync until the host serves it`() throws {
    let suite = try TwoMachines()
    let third = try Machine()
    try third.coffer("clone", "--name", "third", "--no-passphrase", "--vault-key-file", suite.key, suite.remote.path)
    try third.sync()
    try suite.laptop.sync()
    try suite.laptop.set("withheld", "1")
    try suite.laptop.sync()
    let withheld = try streams(suite.remote)
    try suite.desktop.sync()
    try suite.desktop.set("shown", "2")
    try suite.desktop.sync()
    try suite.remote.tamper { tree in
      for stream in withheld { try FileManager.default.removeItem(at: tree.appending(path: "segments/\(stream)")) }
    }
    for _ in 0..<3 {
      let sync = try third.run("coffer", "sync")
      #expect(sync.exitCode == 6 && sync.errors.contains("which desktop has seen there"), "\(sync)")
    }
    #expect(try third.values() == ["shown": "2"])
    #expect(try third.status("missingSegmentCount") == "1")
    #expect(try third.coffer("status").contains("Not received    1 file with changes that other machines have seen"))
    // The machine that wrote the segment restores it.
    #expect(try suite.laptop.run("coffer", "sync").exitCode == 6)
    for _ in 0..<2 {
      let sync = try third.run("coffer", "sync")
      #expect(sync.exitCode == 0 && sync.errors.isEmpty, "\(sync)")
    }
    #expect(try third.values() == ["shown": "2", "withheld": "1"])
    #expect(try third.status("missingSegmentCount") == "0")
  }

  @Test func `A segment with other contents than another machine has read is reported`() throws {
    let suite = try TwoMachines()
    try suite.laptop.set("shown", "1")
    for machine in [suite.laptop, suite.desktop] { try machine.sync() }
    let local = try LocalVault.open(VaultFolder(suite.desktop.vault))
    let device = try local.deviceFile()
    let membership = try local.membership()
    let read = try #require(try local.store.read { try $0.streamHeads() }.first)
    let group = try #require(membership.groups.keys.first)
    let segment = Segment(
      vault: membership.vault, device: DeviceID(vault: membership.vault, keys: device.keys.publicKeys),
      stream: StreamID.random(), after: nil, log: membership.head,
      seen: [
        StreamPosition(
          stream: read.position.stream, number: read.position.number,
          hash: SegmentHash(try #require(Bytes32([UInt8](repeating: 7, count: 32))))
        )
      ], group: group, records: [], key: device.keys.signing)
    let key = try #require(device.transportKeys.last)
    let envelope = Envelope(sealing: segment.bytes, as: .segment, key: key.key, generation: key.generation)
    try suite.remote.tamper { tree in
      let folder = tree.appending(path: "segments/\(segment.stream)/0")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data(envelope.bytes).write(to: folder.appending(path: "0"))
    }
    let sync = try suite.laptop.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("another content"), "\(sync)")
    #expect(try suite.laptop.get("shown") == "1")
  }

  @Test func `The store of a machine that is shown a later segment only is sound, and is backed up`() throws {
    let suite = try TwoMachines()
    let before = try streams(suite.remote)
    for value in ["1", "2"] {
      try suite.laptop.set("item \(value)", value)
      try suite.laptop.sync()
    }
    let stream = try #require(try streams(suite.remote).subtracting(before).first)
    try suite.remote.tamper { tree in
      try FileManager.default.removeItem(at: tree.appending(path: "segments/\(stream)/0/0"))
    }
    let sync = try suite.desktop.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("does not follow the segment before it"), "\(sync)")
    #expect(try suite.desktop.values() == ["item 2": "2"])
    #expect(try suite.desktop.coffer("check") == "The store matches its signed objects.")
    let backup = try suite.desktop.run("coffer", "backup", suite.desktop.directory.path("backup"))
    #expect(backup.exitCode == 0, "\(backup)")
    #expect(try suite.laptop.run("coffer", "sync").exitCode == 6)
    try suite.desktop.sync()
    #expect(try suite.desktop.values() == ["item 1": "1", "item 2": "2"])
    #expect(try suite.desktop.coffer("check") == "The store matches its signed objects.")
  }
}
