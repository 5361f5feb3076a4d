import CofferCrypto
import CofferFormat
import CofferStore
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation
import Testing

/// Segments that a member signs in the streams of other machines, before anybody has read what belongs there.
@Suite struct SquattedStreamTests {
  private let machines: MemberMachines
  private var remote: TemporaryRemote { machines.remote }
  private var laptop: Machine { machines.laptop }
  private var desktop: Machine { machines.desktop }
  private var member: Machine { machines.member }

  init() throws { machines = try MemberMachines() }

  /// A segment with a record of the member's, in place of one of another machine.
  private func squat(_ place: StreamPosition, after previous: StreamPosition? = nil) throws -> SealedSegment {
    let record = try member.forge(Array("evil".utf8), account: "squatter", in: app, by: app)
    return try member.sealSegment(of: [record.bytes], in: record.header.group, after: previous, inPlaceOf: place)
  }

  /// Expects that machines have the same items, sync without a problem, and have nothing left to send.
  private func expect(_ values: [String: String], location: SourceLocation = #_sourceLocation) throws {
    for machine in [desktop, laptop, member] {
      #expect(try machine.values() == values, sourceLocation: location)
      #expect(try machine.status("unsyncedChanges") == "0", sourceLocation: location)
      #expect(try machine.coffer("check") == "The store matches its signed objects.", sourceLocation: location)
    }
  }

  @Test(arguments: [0, 1])
  func `Nobody accepts a member's segment in place of another machine's first or next one, and nobody is held up by it`(
    number: Int
  ) throws {
    var values: [String: String] = [:]
    var before: StreamPosition?
    if number > 0 {
      try desktop.set("first", "1")
      values["first"] = "1"
      try machines.sync(desktop, laptop, member)
      before = try desktop.lastOwnSegment()
    }
    try desktop.set("genuine", "2")
    values["genuine"] = "2"
    try machines.sync(desktop)
    let place = try desktop.lastOwnSegment()
    try #require(place.number == UInt64(number))
    let squat = try squat(place, after: before)
    try #require(squat.path == "segments/\(place.stream)/0/\(number)")
    try remote.put([squat])

    // Nobody but the desktop has read its segment.
    let clone = try Machine()
    let copy = try TemporaryRemote(copying: remote)
    try clone.coffer("clone", "--name", "clone", "--no-passphrase", "--vault-key-file", machines.key, copy.path)
    #expect(try clone.values() == values)
    let sync = try laptop.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("ci signed it, and its stream is that of desktop"), "\(sync)")
    #expect(try !remote.files().contains(squat.path) && laptop.values()["squatter"] == nil)
    let owner = try desktop.run("coffer", "sync")
    #expect(owner.exitCode == 6 && owner.errors.contains("has lost \(squat.path)"), "\(owner)")
    try machines.sync(laptop, member)
    try expect(values)
    // The stream goes on, and so does the vault in its next epoch.
    try desktop.set("later", "3")
    try machines.sync(desktop)
    #expect(try desktop.lastOwnSegment() != place && desktop.lastOwnSegment().stream == place.stream)
    try laptop.coffer("compact")
    try desktop.set("last", "4")
    try machines.sync(desktop, laptop, member)
    try expect(values.merging(["later": "3", "last": "4"]) { $1 })
  }

  @Test func `A segment that is planted where a machine will write next does not keep it from its stream`() throws {
    try desktop.set("first", "1")
    try machines.sync(desktop, laptop, member)
    let last = try desktop.lastOwnSegment()
    let squat = try squat(last, after: last)
    try remote.put([squat])
    try desktop.set("second", "2")
    let sync = try desktop.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("its stream is that of desktop"), "\(sync)")
    #expect(try desktop.lastOwnSegment().stream == last.stream && desktop.lastOwnSegment().number == 1)
    try machines.sync(laptop, member)
    try expect(["first": "1", "second": "2"])
  }

  @Test func `In a lane, a member's segment in another machine's stream is named, and the lane is deleted`() throws {
    try desktop.set("first", "1")
    try machines.sync(desktop, laptop, member)
    let last = try desktop.lastOwnSegment()
    let attacker = Attacker(remote: remote, keys: [member.home.path])
    let lane = try attacker.run("lane", "--stream", "\(last.stream)", "--number", "1", "--record", "squatter=1")
    #expect(try laptop.run("coffer", "sync").errors.contains("its stream is that of desktop"))
    #expect(try remote.git("for-each-ref", "refs/heads/\(lane.branch)").isEmpty)
    try desktop.set("second", "2")
    try machines.sync(desktop, laptop, member)
    try expect(["first": "1", "second": "2"])
  }

  @Test func `A reader that was shown a squatter first takes the machine's own stream once it knows that`() throws {
    let before = remote.tip
    let third = try Machine()
    try third.coffer("clone", "--name", "third", "--no-passphrase", "--vault-key-file", machines.key, remote.path)
    try third.set("genuine", "2")
    try third.sync()
    let (genuine, tip) = (try third.lastOwnSegment(), remote.tip)
    // The host withholds the entry that enrols the third machine.
    try remote.serve(before)
    try remote.put([squat(genuine)])
    try laptop.sync()
    #expect(try laptop.values() == ["squatter": "evil"])
    try remote.serve(tip)
    _ = try laptop.run("coffer", "sync")
    #expect(try laptop.values() == ["genuine": "2", "squatter": "evil"])
    let head = try laptop.local.store.read { try $0.streamHead(of: genuine.stream) }
    #expect(try head?.position == genuine && head?.device == third.deviceID())
    try machines.sync(laptop, third, desktop, member)
    #expect(try third.values() == ["genuine": "2", "squatter": "evil"])
    try expect(["genuine": "2", "squatter": "evil"])
  }

  // MARK: Streams of version 0.2.0

  @Test func `A machine begins a new stream after one of version 0.2.0, which everybody keeps`() throws {
    let old = try desktop.setAsVersion020("old", "1", publishing: true)
    try desktop.setAsVersion020("unsent", "2", publishing: false)
    try desktop.set("new", "3")
    try machines.sync(desktop, laptop, member)
    let new = try desktop.lastOwnSegment()
    #expect(new.stream != old.stream)
    let naming = StreamNaming(try desktop.local.deviceFile().transportKeys, in: try desktop.local.membership().vault)
    #expect(try naming.commits(new.stream, to: desktop.deviceID()))
    try expect(["old": "1", "unsent": "2", "new": "3"])
    try laptop.coffer("compact")
    try machines.sync(desktop, member)
    try expect(["old": "1", "unsent": "2", "new": "3"])
  }

  @Test func `After an epoch that took a member's segment for a stream of version 0.2.0, its machine sends everything`()
    throws
  {
    let old = try desktop.setAsVersion020("old", "1", publishing: true)
    try remote.put([squat(old)])
    // Nothing tells the laptop whose stream it is.
    try laptop.sync()
    #expect(try laptop.values() == ["squatter": "evil"])
    try laptop.coffer("compact")
    try desktop.set("new", "2")
    _ = try desktop.run("coffer", "sync")
    #expect(try desktop.status("epoch") == "2")
    try machines.sync(laptop, member, desktop)
    try expect(["old": "1", "new": "2", "squatter": "evil"])
  }

  @Test func `Records in a stream of version 0.2.0 count for those that met another machine's segment first, too`()
    throws
  {
    let old = try desktop.setAsVersion020("old", "1", publishing: true)
    let genuine = remote.tip
    try remote.put([squat(old)])
    try laptop.sync()
    try remote.serve(genuine)
    let sync = try laptop.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("its stream is another machine's"), "\(sync)")
    #expect(try laptop.values() == ["old": "1", "squatter": "evil"])
    // The next epoch ends it.
    try desktop.sync()
    try desktop.coffer("compact")
    _ = try laptop.run("coffer", "sync")
    try machines.sync(laptop, member, desktop)
    try expect(["old": "1", "squatter": "evil"])
  }
}

extension Machine {
  fileprivate func deviceID() throws -> DeviceID {
    DeviceID(vault: try local.membership().vault, keys: try local.deviceFile().keys.publicKeys)
  }

  /// Sets the value of an item, and seals it as version 0.2.0: into a stream with a name that commits to nobody.
  @discardableResult
  fileprivate func setAsVersion020(_ account: String, _ value: String, publishing: Bool) throws -> StreamPosition {
    try set(account, value)
    let local = try local
    let group = try #require(try local.store.read { try $0.outboxGroups() }.first)
    let batch = try local.store.read { try $0.outbox(in: group, byteLimit: 1 << 20) }
    let previous = try local.store.read { reader in
      try reader.setting(.ownStream).flatMap { Bytes16($0) }.flatMap { try reader.streamHead(of: StreamID($0)) }
    }
    let sealed = try sealSegment(of: batch.map(\.1), in: group, after: previous?.position)
    let device = try deviceID()
    try local.store.write { writer in
      try writer.removeFromOutbox(batch.map(\.0))
      try writer.insertSegment(
        StoredSegment(position: sealed.position, device: device, envelope: sealed.file, published: nil), isOwn: true)
      try writer.set(.ownStream, to: sealed.position.stream)
    }
    if publishing { try sync() }
    return sealed.position
  }
}
