import CofferCrypto
import CofferFormat
import CofferSystem
import CofferTestSupport
import CofferVault
import Foundation
import Synchronization
import Testing

@testable import Coffer
@testable import CofferSandbox
@testable import CofferSecretService

/// A vault that is reached through sockets, as an app in a sandbox reaches it, and requests that no app sends.
@Suite struct VaultRequestTests {
  private static let shared = "com.example.shared"
  private static let plist = entitlementsPlist("com.example.app", groups: ["~com.example.app", "~\(shared)"])
  private static let otherPlist = entitlementsPlist("com.other.app", groups: ["~com.other.app"])

  /// The vault outside of the sandbox.
  private let outside: Vault
  private let note = GenericPassword(service: "notes", account: "jane", label: "First")

  init() throws { outside = try Vault.inMemory(entitlements: .bytes(Data(Self.plist.utf8))) }

  /// The sockets of the broker's end, to end it.
  private final class Ends: Sendable {
    let sockets = Mutex<[RequestSocket]>([])
  }

  /// Returns a connection whose other end a thread answers. Each socket has a vault of its own, as in the broker.
  private func connection(_ ends: Ends = Ends()) -> SandboxBroker {
    let outside = outside
    return SandboxBroker { () throws(VaultError) in
      do {
        var descriptors: [Int32] = [-1, -1]
        guard unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &descriptors) == 0 else {
          throw VaultError(.io, "cannot open sockets")
        }
        let socket = RequestSocket(Descriptor(owning: descriptors[0]))
        ends.sockets.withLock { $0.append(socket) }
        let vault = try outside.reopened(as: .bytes(Data(Self.plist.utf8)))
        BlockingThread.start {
          while var message = socket.receiveRequest() {
            do throws(VaultError) {
              let answer = try vault.answer(message.request, value: &message.value)
              socket.send(answer, value: &message.value)
            } catch {
              socket.send(error)
            }
          }
          socket.close()
        }
        return RequestSocket(Descriptor(owning: descriptors[1]))
      } catch {
        throw VaultError(translating: error)
      }
    }
  }

  /// Asks what a JSON text says. Returns the code of the error; nil for an answer.
  private func code(_ json: String, value: [UInt8]? = nil) throws -> VaultError.Code? {
    let request = try JSONDecoder().decode(VaultRequest.self, from: Data(json.utf8))
    var value = value
    do throws(VaultError) {
      _ = try outside.answer(request, value: &value)
      return nil
    } catch {
      return error.code
    }
  }

  private func search(_ attributes: ItemAttributes = ItemAttributes(), _ more: String = "") -> String {
    let text = attributes.bytes.map { String(format: "%02x", $0) }.joined()
    return """
      {"itemClass": \(ItemClass.genericPassword.rawValue), "attributes": "\(text)", "synchronizable": {"any": {}}\(more)}
      """
  }

  @Test func `A limit counts the items that fulfil the conditions, which stay in the app`() throws {
    let vault = try Vault.open(through: connection())
    for number in 0..<20 { try vault.set("\(number)", for: GenericPassword(service: "list", account: "\(number)")) }
    let query = ItemQuery<GenericPassword>().matching(.account, "1", .endsWith)
    #expect(try vault.list(query.limit(2)).items.map(\.account) == ["1", "11"])
    #expect(try vault.count(query.limit(1)) == 1)
    #expect(try vault.delete(query.limit(1)) == 1)
    #expect(try vault.list(query).items.map(\.account) == ["11"])
    #expect(try vault.find(query.search, withValues: true).map(\.value) == [Array("11".utf8)])
  }

  @Test func `An update runs again for an item that was changed while it ran, and loses neither change`() throws {
    let vault = try Vault.open(through: connection())
    try vault.set("one", for: note)
    var runs = 0
    try vault.update(note) { (item: inout GenericPassword) throws(VaultError) in
      runs += 1
      if runs == 1 { try outside.set("two", for: note) }
      item.label = "Second"
    }
    #expect(runs == 2)
    #expect(try outside.string(for: note) == "two" && outside.storedItem(for: note)?.label == "Second")
    // An item that never rests is an error, and stays as it is.
    let error = #expect(throws: VaultError.self) {
      try vault.update(note) { (item: inout GenericPassword) throws(VaultError) in
        try outside.set("three", for: note)
        item.label = "Third"
      }
    }
    #expect(error?.code == .itemChanged)
    #expect(try outside.storedItem(for: note)?.label == note.label)
  }

  @Test func `An update of several items changes all of them or none`() throws {
    let vault = try Vault.open(through: connection())
    for account in ["a", "b"] { try vault.set(account, for: GenericPassword(service: "list", account: account)) }
    let query = ItemQuery<GenericPassword>().matching(.service, "list")
    let error = #expect(throws: VaultError.self) {
      try vault.update(query) { (item: inout GenericPassword) throws(VaultError) in
        item.label = "new"
        item.account = "c"
      }
    }
    #expect(error?.code == .duplicateItem)
    #expect(try vault.list(query).items.map(\.account) == ["a", "b"])
    #expect(try vault.list(query).items.allSatisfy { $0.label == nil })
    #expect(try vault.update(query, value: "same") == 2)
    #expect(try vault.find(query.search, withValues: true).map(\.value) == [Array("same".utf8), Array("same".utf8)])
  }

  @Test func `A vault that the app has locked is locked in the broker that follows, too`() throws {
    let ends = Ends()
    let vault = try Vault.open(through: connection(ends))
    try vault.set("one", for: note)
    vault.lock()
    for socket in ends.sockets.withLock({ $0 }) { socket.close() }
    #expect(vault.isLocked)
    #expect(throws: VaultError.self) { try vault.string(for: note) }
    try vault.unlock()
    #expect(try vault.string(for: note) == "one" && ends.sockets.withLock { $0.count } == 2)
  }

  @Test func `What needs the store or the keys says that a sandbox does not have it, and stores nothing here`() throws {
    let vault = try Vault.open(through: connection())
    let calls: [() throws -> Void] = [
      { try vault.transaction { _ = try vault.set("one", for: note) } }, { _ = try vault.groupNames() },
      { _ = try vault.itemCount(of: nil, in: nil) }, { _ = try vault.delete([]) as [DeletedItem] },
    ]
    for call in calls {
      let error = #expect(throws: VaultError.self) { try call() }
      #expect(error?.code == .notEntitled && error?.message.contains("sandbox") == true)
    }
    #expect(throws: VaultError.self) { try vault.reopened(as: .bytes(Data(Self.plist.utf8))) }
    #expect(try outside.string(for: note) == nil)
    #expect(vault.id == outside.id && vault.applicationIdentifier == outside.applicationIdentifier)
    #expect(try vault.accessGroups == outside.accessGroups)
  }

  @Test func `A version is given to an app that reads its group, and to no other one`() throws {
    let other = try outside.reopened(as: .bytes(Data(Self.otherPlist.utf8)))
    try other.set("theirs", for: note)
    try outside.set("ours", for: note)
    let theirs = try #require(try other.find(ItemSearch(.genericPassword), withValues: false).first)
    let ours = try #require(try outside.find(ItemSearch(.genericPassword), withValues: false).first)
    func request(_ kind: String, _ hash: RecordHash, _ group: GroupID) -> String {
      "{\"kind\": \"\(kind)\", \"version\": \"\(hash.raw.hex)\", \"place\": \"\(group.raw.hex)\"}"
    }
    for kind in ["version", "restore"] {
      #expect(try code(request(kind, ours.version, ours.address.group)) == nil)
      #expect(try code(request(kind, theirs.version, theirs.address.group)) == .notEntitled)
      #expect(try code(request(kind, theirs.version, ours.address.group)) != nil)
    }
    let change = """
      {"kind": "change", "changes": [{"address": "\(theirs.address.group.raw.hex)\(theirs.address.item.raw.hex)",
      "version": "\(theirs.version.raw.hex)"}]}
      """
    #expect(try code(change) == .notEntitled)
    #expect(try other.string(for: note) == "theirs")
  }

  @Test func `Numbers and lengths that no app sends are refused, and change nothing`() throws {
    try outside.set("one", for: note)
    let item = try #require(try outside.find(ItemSearch(.genericPassword), withValues: false).first)
    let attributes = item.attributes.bytes.map { String(format: "%02x", $0) }.joined()
    for count in ["-1", "4", "9223372036854775807", "-9223372036854775808"] {
      let change = """
        {"address": "\(item.address.group.raw.hex)\(item.address.item.raw.hex)", "version": "\(item.version.raw.hex)",
        "attributes": "\(attributes)", "valueByteCount": \(count)}
        """
      let found = try code("{\"kind\": \"change\", \"changes\": [\(change)]}", value: [1, 2, 3])
      #expect(found == .invalidArgument, "\(count)")
    }
    #expect(try outside.string(for: note) == "one")
    for limit in ["-1", "0", "-9223372036854775808", "9223372036854775807"] {
      for kind in ["find", "read", "delete"] where limit != "9223372036854775807" || kind != "delete" {
        let names = ItemAttributes([.service: .string("notes"), .account: .string("jane")])
        #expect(try code("{\"kind\": \"\(kind)\", \"search\": \(search(names, ", \"limit\": \(limit)"))}") == nil)
      }
    }
    #expect(try outside.string(for: note) == "one")
    for kind in [
      "find", "read", "add", "set", "delete", "versions", "version", "restore", "redeem", "receipt", "change",
    ] {
      #expect(try code("{\"kind\": \"\(kind)\"}") == .invalidArgument, "\(kind)")
    }
    #expect(try code("{\"kind\": \"unlock\", \"number\": -9223372036854775808}") == nil)
    #expect(try code("{\"kind\": \"unlock\", \"number\": 9223372036854775807}") == nil)
    #expect(try code("{\"kind\": \"changes\", \"number\": -1}") == nil)
    #expect(
      try code("{\"kind\": \"find\", \"search\": \(search(ItemAttributes(), ", \"group\": \"com.other.app\""))}")
        == .notEntitled)
  }

  @Test(arguments: [
    "{}", "[]", "{\"kind\": \"become-root\"}", "{\"kind\": 7}",
    "{\"kind\": \"find\", \"search\": {\"itemClass\": 1, \"attributes\": \"\", \"synchronizable\": {\"any\": {}}}}",
    "{\"kind\": \"find\", \"search\": {\"itemClass\": 1734700656, \"attributes\": \"00\", \"synchronizable\": {\"any\": {}}}}",
    "{\"kind\": \"find\", \"scope\": \"everything\"}", "{\"kind\": \"version\", \"version\": \"00\"}",
    "{\"kind\": \"version\", \"place\": \"zz\"}", "{\"kind\": \"change\", \"changes\": [{}]}",
  ])
  func `What is no request is not answered`(_ json: String) {
    #expect(throws: (any Error).self) { try JSONDecoder().decode(VaultRequest.self, from: Data(json.utf8)) }
  }

  @Test func `Requests and answers are what they were after they have been read`() throws {
    try outside.set("one", for: note)
    try outside.set("two", for: note)
    var request = VaultRequest(
      .find,
      ItemSearch(
        .key, attributes: ItemAttributes([.label: .string("é"), .generic: .data([0, 255]), .created: .date(.now)]),
        synchronizable: .only(true), group: "group", reference: [1, 2], limit: 3))
    let found = try outside.find(ItemSearch(.genericPassword), withValues: false)
    request.scope = .writable
    request.changes = found.map { $0.change(to: $0.attributes, valueByteCount: 3) }
    (request.group, request.text, request.number) = ("group", "text", .min)
    (request.version, request.place) = (found.first?.version, found.first?.address.group)
    var answer = VaultAnswer()
    answer.items = found
    answer.versions = [try outside.history(of: ItemQuery<GenericPassword>().naming(note).search).versions]
    answer.damaged = [VaultError.Report(VaultError(.integrity, "damaged"))]
    (answer.attributes, answer.groups) = (found.first?.attributes, ["a", "b"])
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let first = try (encoder.encode(request), encoder.encode(answer))
    let decoder = JSONDecoder()
    let second = try (
      encoder.encode(decoder.decode(VaultRequest.self, from: first.0)),
      encoder.encode(decoder.decode(VaultAnswer.self, from: first.1))
    )
    #expect(first == second)
    let status = try decoder.decode(BrokeredStatus.self, from: encoder.encode(BrokeredStatus(of: outside)))
    #expect(status.vault == outside.id && status.groups.count == 2 && status.writableGroups == Set(status.groups))
    #expect(!first.1.isEmpty && answer.versions?.first?.count == 2)
    #expect(!String(decoding: first.1, as: UTF8.self).contains("74776f"), "the value is not in it")
  }
}
