import CofferFormat
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation
import Testing

/// A vault in its third epoch and with its second vault key, and somebody with keys of it who changes one object.
struct InsiderScene {
  /// A command of `Scripts/attacker`, and the file to look at afterwards.
  struct Attempt {
    var command: [String]
    /// Nil for the last file that was written.
    var path: String?
    /// Who carries out the command, if not the insider alone.
    var insiders: [Insider]?
    /// The branch that the command writes to, if not that of the vault.
    var branch: String?
    /// Whether the object is one that only the laptop has.
    var isPlanted = false
    /// The path of the vault key that the laptop has just put in place of the one before; nil for that of the vault.
    var newKey: String?
  }

  static let past = InsiderVault.Past(epoch: 3, hasNewVaultKey: true)

  let vault: InsiderVault
  let insider: Insider
  private let head: UInt64
  private let files: [String]
  private let opened: Attacker.Opened

  init(_ insider: Insider) throws {
    self.insider = insider
    vault = try InsiderVault(Self.past)
    head = try vault.laptop.local.membership().head.sequence
    files = try vault.remote.git("ls-tree", "-r", "--name-only", vault.branch).split(separator: "\n").map(String.init)
    opened = try vault.attacker(insider).opened()
  }

  private func path(ofEntry number: UInt64) -> String { "log/\(number / 64)/\(number)" }

  /// The log entry before the last one with boxes that the insider opens, and that one; nil if it opens none.
  private var boxed: (earlier: String, last: String)? {
    guard let paths = opened.boxed[vault.branch], let last = paths.last else { return nil }
    return (paths.first ?? last, last)
  }

  /// A segment of the laptop: its path, stream and number.
  private func segment() throws -> (path: String, stream: String, number: String) {
    let stream = try vault.laptop.lastOwnSegment().stream
    let path = try #require(files.first { $0.hasPrefix("segments/\(stream)/") })
    let parts = path.split(separator: "/").map(String.init)
    return (path, parts[1], parts[3])
  }

  /// A file of an earlier commit in a folder that the branch does not have any more.
  private func former(_ folder: String, at commit: String) throws -> String {
    let former = try vault.remote.git("ls-tree", "-r", "--name-only", commit).split(separator: "\n").map(String.init)
    return try #require(former.last { $0.hasPrefix(folder) && !files.contains($0) })
  }

  private func other(_ folder: String) -> String { folder + "/" + String(repeating: "5a", count: 32) }

  /// The attempt of a cell of the table; nil if there is no such change.
  func attempt(_ object: InsiderMatrix.Object, _ change: InsiderMatrix.Change) throws -> Attempt? {
    let (old, older) = (vault.ends[1], vault.ends[0])
    let machine = ["--signer", insider.machine]
    let author = insider == .oldRoot ? "root" : "app"
    switch (object, change) {
    case (_, .planted): return try planting(object)

    case (.entry, .added): return .init(command: ["entry", "--number", "\(head + 1)", "--signer", insider.admin])
    case (.entry, .replaced): return .init(command: ["entry", "--number", "\(head)", "--signer", insider.admin])
    case (.entry, .replayed):
      return .init(command: ["replay", "--from", older, path(ofEntry: 6), "--to", path(ofEntry: head + 1)])
    case (.entry, _): return sealing(path(ofEntry: 2), change)

    case (.boxes, .added): return .init(command: ["replace", boxed?.last ?? path(ofEntry: 1), "--more-boxes"])
    case (.boxes, .replaced): return .init(command: ["replace", boxed?.last ?? path(ofEntry: 1), "--other-boxes"])
    case (.boxes, .resealed): return .init(command: ["replace", boxed?.last ?? path(ofEntry: 1), "--boxes-again"])
    case (.boxes, .repadded): return sealing(boxed?.last ?? path(ofEntry: 1), change)
    case (.boxes, .replayed):
      guard let boxed, boxed.earlier != boxed.last else { return nil }
      return .init(command: ["replace", boxed.last, "--boxes-of", boxed.earlier])

    case (.segment, .added): return .init(command: ["segment", "--record", "evil=evil", "--author", author] + machine)
    case (.segment, .replaced):
      let place = try segment()
      let options = ["--stream", place.stream, "--number", place.number, "--record", "evil=evil", "--author", author]
      return .init(command: ["segment"] + options + machine)
    case (.segment, .replayed): return .init(command: ["replay", "--from", older, try former("segments/", at: older)])
    case (.segment, _): return sealing(try segment().path, change)

    case (.record, .added): return carried(["--record", "evil=evil"])
    case (.record, .replaced): return carried(["--record", "ci=evil", "--over"])
    case (.record, .replayed): return carried(["--again", "laptop", "--at", older])
    case (.record, _): return nil

    case (.list, .added): return .init(command: ["list"])
    case (.list, .replaced):
      return .init(command: ["list", "--name", String(try list().dropFirst("lists/".count))])
    case (.list, .replayed): return .init(command: ["replay", "--from", older, try list(), "--to", other("lists")])
    case (.list, _): return sealing(try list(), change)

    case (.slot, .added): return .init(command: ["slot", "--root-number", "3", "--signer", slotSigner])
    case (.slot, .replaced): return .init(command: ["slot", "--root-number", "1", "--signer", slotSigner])
    case (.slot, .replayed): return .init(command: ["replay", "--from", older, "root", "--to", other("roots")])
    case (.slot, .repadded):
      let longer = try vault.remote.bytes(of: "root", on: vault.branch) + [UInt8](repeating: 0, count: 64)
      let file = vault.laptop.directory.path("longer")
      try Data(longer).write(to: URL(fileURLWithPath: file))
      return .init(command: ["plant", "root", file])
    case (.slot, .resealed): return nil

    case (.checkpoint, .added): return .init(command: ["checkpoint", "--number", "4"] + machine)
    case (.checkpoint, .replaced): return .init(command: ["checkpoint", "--number", "3"] + machine)
    case (.checkpoint, .replayed):
      return .init(command: ["replay", "--from", old, "checkpoints/2", "--to", "checkpoints/4"])
    case (.checkpoint, _): return sealing("checkpoints/3", change)

    case (.chunk, .added): return .init(command: ["chunk", "--number", "1", "--author", author])
    case (.chunk, .replaced):
      return .init(command: ["chunk", "--number", "0", "--author", author, "--record", "evil=evil"])
    case (.chunk, .replayed): return .init(command: ["replay", "--from", old, "snapshot/0"])
    case (.chunk, _): return sealing("snapshot/0", change)

    case (.opened, .added): return .init(command: ["epoch", "--number", "4"] + machine)
    case (.opened, .replaced): return .init(command: ["opened"] + machine)
    case (.opened, .replayed): return .init(command: ["replay", "--from", old, "opened"])
    case (.opened, _): return sealing("opened", change)

    case (.closed, .added): return .init(command: ["closed"] + machine)
    case (.closed, .replayed): return .init(command: ["replay", "--from", vault.branch, "opened", "--to", "closed"])
    case (.closed, _): return nil

    // A file beside the repository.
    case (.backup, _): return nil

    case (.lane, .added): return .init(command: ["lane", "--record", "evil=evil", "--author", author] + machine)
    case (.lane, .replaced):
      let place = try segment()
      // Another item than that of the lane that was added before.
      let options = ["--stream", place.stream, "--number", place.number, "--record", "lane=evil", "--author", author]
      return .init(command: ["lane"] + options + machine)
    case (.lane, .replayed): return inLane(["replay", "--from", older, try former("segments/", at: older)])
    case (.lane, .resealed): return inLane(["reseal", "--from", vault.branch, try segment().path])
    case (.lane, .repadded): return inLane(["repad", "--from", vault.branch, "--size", "1048576", try segment().path])
    }
  }

  /// Lets the laptop make an object that nobody else has, and returns the attempt to put another one in its place.
  private func planting(_ object: InsiderMatrix.Object) throws -> Attempt? {
    let machine = ["--signer", insider.machine]
    let author = insider == .oldRoot ? "root" : "app"
    let evil = ["--record", "planted=evil", "--author", author] + machine
    switch object {
    case .entry:
      #expect(try vault.laptop.addApp("planted").exitCode == 0)
      try vault.laptop.sync()
      let number = try vault.laptop.local.membership().head.sequence
      return planted(["entry", "--number", "\(number)", "--signer", insider.admin])
    case .segment:
      let own = try written()
      return planted(["segment", "--stream", "\(own.stream)", "--number", "\(own.number)"] + evil)
    case .lane:
      let own = try written()
      return planted(["lane", "--stream", "\(own.stream)", "--number", "\(own.number + 1)"] + evil)
    case .list:
      try vault.laptop.coffer("app", "remove", app, "--device", "ci", "--yes")
      let new = try newFile("lists/", on: vault.branch)
      return planted(["list", "--name", String(new.dropFirst("lists/".count))])
    case .slot:
      let new = vault.laptop.directory.path("planted-vault-key")
      try vault.laptop.coffer("vault-key", "rotate", "--vault-key-file", vault.key, "--new-vault-key-file", new)
      let slot = try newFile("roots/", on: vault.branch)
      return planted(["replay", "--from", vault.ends[0], "root", "--to", slot], newKey: new)
    case .checkpoint: return planted(["checkpoint", "--number", "4"] + machine, on: try nextEpoch())
    case .chunk: return planted(["chunk", "--number", "0"] + evil, on: try nextEpoch())
    case .opened: return planted(["opened"] + machine, on: try nextEpoch())
    // Records and boxes are parts of objects, nothing follows a `closed` on the branch of its epoch, and a backup is on
    // no branch.
    case .record, .boxes, .closed, .backup: return nil
    }
  }

  private func planted(_ command: [String], on branch: String? = nil, newKey: String? = nil) -> Attempt {
    .init(command: command, branch: branch, isPlanted: true, newKey: newKey)
  }

  /// Lets the laptop publish an item, and returns its segment.
  private func written() throws -> StreamPosition {
    try vault.laptop.set("fresh", "5 fresh")
    try vault.laptop.sync()
    return try vault.laptop.lastOwnSegment()
  }

  /// Lets the laptop begin an epoch, and returns its branch.
  private func nextEpoch() throws -> String {
    _ = try written()
    try vault.laptop.coffer("compact")
    return try #require(try vault.branches().last)
  }

  private func newFile(_ folder: String, on branch: String) throws -> String {
    let now = try vault.remote.git("ls-tree", "-r", "--name-only", branch).split(separator: "\n").map(String.init)
    return try #require(now.first { $0.hasPrefix(folder) && !files.contains($0) })
  }

  private var slotSigner: String { insider == .oldRoot ? "root" : insider == .headless ? "app" : "device" }

  private func list() throws -> String { try #require(files.first { $0.hasPrefix("lists/") }) }

  private func sealing(_ path: String, _ change: InsiderMatrix.Change) -> Attempt {
    change == .resealed
      ? .init(command: ["reseal", path], path: path)
      : .init(command: ["repad", "--size", "1048576", path], path: path)
  }

  /// A record of the insider's, or that only it repeats, in a segment of a member.
  private func carried(_ options: [String]) -> Attempt {
    if insider == .member { return .init(command: ["segment"] + options) }
    let author = insider == .oldRoot ? "root" : "app@1"
    return .init(
      command: ["segment", "--signer", "device@2", "--author", author] + options, insiders: [insider, .member])
  }

  private func inLane(_ command: [String]) -> Attempt {
    .init(command: command, branch: "lane-" + String(repeating: "5a", count: 16))
  }
}
