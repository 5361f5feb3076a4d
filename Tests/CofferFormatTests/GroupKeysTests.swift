import CofferCrypto
import CofferFormatSamples
import Testing

@testable import CofferFormat
import CofferKeys

@Suite struct GroupKeysTests {
  let fixture: SampleObjects

  init() throws { fixture = try SampleObjects() }

  @Test func `The key of a generation opens every earlier generation`() throws {
    var chain = [fixture.groupKeys]
    var wrapped: [[UInt8]] = []
    for _ in 0..<5 {
      let next = chain[chain.count - 1].later(generation: UInt32(chain.count + 1))
      wrapped.append(next.wrap(chain[chain.count - 1]))
      chain.append(next)
    }
    var keys = chain[5]
    for index in (0..<5).reversed() {
      keys = try keys.unwrap(wrapped[index], generation: keys.generation - 1)
      #expect(keys.generation == UInt32(index + 1))
      #expect(keys.commitment == chain[index].commitment)
      let bytes = [keys, chain[index]].map { keys in unsafe keys.secret.withBytes { unsafe Array($0) } }
      #expect(bytes[0] == bytes[1])
    }
    #expect(throws: CryptoError.self) { try chain[0].unwrap(wrapped[0], generation: 0) }
    #expect(throws: CryptoError.authenticationFailed) { try chain[2].unwrap(wrapped[2], generation: 2) }
    #expect(throws: CryptoError.authenticationFailed) { try chain[4].unwrap(wrapped[0], generation: 4) }
  }

  @Test func `A wrapped generation opens for its own group only`() throws {
    let next = fixture.groupKeys.later(generation: fixture.groupKeys.generation + 1)
    let elsewhere = try GroupKeys(group: GroupID(.zero), generation: 2, secret: next.secret)
    #expect(throws: CryptoError.authenticationFailed) {
      try elsewhere.unwrap(next.wrap(fixture.groupKeys), generation: 1)
    }
  }

  @Test func `Tokens and item identifiers are the same across generations, machines and types`() throws {
    let keys = fixture.groupKeys
    let elsewhere = try GroupKeys(group: keys.group, generation: 1, secret: keys.secret)
    for other in [elsewhere, keys.later(generation: 2)] {
      #expect(other.token(.account, .string("grüße")) == keys.token(.account, .data([UInt8]("grüße".utf8))))
      for itemClass in ItemClass.allCases {
        #expect(
          other.itemID(itemClass, isSynchronizable: true, attributes: fixture.attributes)
            == keys.itemID(itemClass, isSynchronizable: true, attributes: fixture.attributes))
      }
    }
  }

  @Test func `Class, flag, key and primary attributes identify an item, and other attributes do not`() {
    let keys = fixture.groupKeys
    let attributes = fixture.attributes
    func item(
      _ attributes: ItemAttributes, _ itemClass: ItemClass = .genericPassword, isSynchronizable: Bool = false
    ) -> ItemID {
      keys.itemID(itemClass, isSynchronizable: isSynchronizable, attributes: attributes)
    }
    var items = [item(attributes), item(attributes, .internetPassword), item(attributes, isSynchronizable: true)]
    for code in ItemClass.genericPassword.primaryKey {
      var changed = attributes
      changed[code] = .string("other")
      items.append(item(changed))
      changed[code] = nil
      items.append(item(changed))
    }
    items.append(
      GroupKeys.random(group: keys.group).itemID(.genericPassword, isSynchronizable: false, attributes: attributes))
    #expect(Set(items).count == items.count)
    var labelled = attributes
    labelled[.label] = .string("other")
    #expect(item(labelled) == items[0])
  }

  @Test func `Bytes moved from one primary attribute to the next identify another item`() {
    func item(_ account: String, _ service: String) -> ItemID {
      fixture.groupKeys.itemID(
        .genericPassword, isSynchronizable: false,
        attributes: ItemAttributes([.account: .string(account), .service: .string(service)]))
    }
    #expect(item("ab", "c") != item("a", "bc"))
    #expect(item("ab", "") != item("", "ab"))
  }

  @Test func `Tokens differ by attribute, value and group`() {
    let keys = fixture.groupKeys
    let tokens = [
      keys.token(.account, .string("a")), keys.token(.service, .string("a")), keys.token(.account, .string("b")),
      keys.token(.account, .string("")), GroupKeys.random(group: keys.group).token(.account, .string("a")),
    ]
    #expect(Set(tokens).count == tokens.count)
  }

  @Test func `A machine finds its transport key among other machines' boxes`() throws {
    let key = fixture.transport.key
    let boxes = try [fixture.root, fixture.admin, fixture.device].map { try $0.publicKeys.box.seal(key.secret) }
    let envelope = Envelope(sealing: [1], as: .logEntry, key: key, generation: 1, boxes: boxes)
    let found = TransportKey(introducedBy: envelope, openedBy: fixture.device.agreement, mixing: [])
    #expect(found?.commitment == fixture.transport.commitment)
    #expect(TransportKey(introducedBy: envelope, openedBy: fixture.principal.agreement, mixing: []) == nil)
  }

  @Test func `The box of a mixed transport key opens nothing without the vault's first key`() throws {
    let next = fixture.transport.next(mixing: fixture.transport)
    let box = try fixture.device.publicKeys.box.seal(next.boxed)
    let envelope = Envelope(sealing: [1], as: .logEntry, key: next.key.key, generation: 2, boxes: [box])
    func found(_ first: [TransportKey]) -> TransportKey? {
      TransportKey(introducedBy: envelope, openedBy: fixture.device.agreement, mixing: first)
    }
    #expect(found([fixture.transport])?.commitment == next.key.commitment)
    #expect(found([.random(), fixture.transport])?.commitment == next.key.commitment)
    #expect(found([]) == nil && found([.random()]) == nil)
  }
}
