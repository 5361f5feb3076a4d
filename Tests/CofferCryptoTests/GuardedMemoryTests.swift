import Testing

@testable import CofferCrypto

@Suite struct GuardedMemoryTests {
  @Test func `A released slot contains only zeros`() throws {
    // A separate arena: nobody else can reuse the slot between its release and the check.
    let arena = GuardedArena()
    let slot = arena.acquire()
    let start = try unsafe #require(UnsafeMutableRawPointer(bitPattern: slot))
    let bytes = unsafe UnsafeMutableRawBufferPointer(start: start, count: GuardedArena.slotByteCount)
    #expect(unsafe bytes.allSatisfy { $0 == 0 })
    for index in bytes.indices { unsafe bytes[index] = 0xA5 }
    arena.release(slot)
    #expect(unsafe bytes.allSatisfy { $0 == 0 })
  }

  @Test func `Slots never overlap, through more than one chunk`() {
    let arena = GuardedArena()
    let slots = (0..<700).map { _ in arena.acquire() }.sorted()
    for (one, next) in zip(slots, slots.dropFirst()) { #expect(next - one >= UInt(GuardedArena.slotByteCount)) }
    for slot in slots { arena.release(slot) }
    #expect(Set((0..<700).map { _ in arena.acquire() }) == Set(slots), "released slots are available once")
  }

  @Test func `The slot of a secret whose initialisation fails is reused by one other secret only`() throws {
    struct Refusal: Error {}
    for _ in 0..<64 {
      #expect(throws: Refusal.self) {
        try unsafe SecretBytes(count: 32) { (_) throws(Refusal) in throw Refusal() }
      }
      let key = SymmetricKey.random()
      #expect(throws: CryptoError.authenticationFailed) {
        try key.openSecret([UInt8](repeating: 0, count: 72), associated: [])
      }
    }
    let secrets = (0..<512).map { _ in SecretBytes.random(count: 64) }
    let addresses = secrets.map { secret in unsafe secret.withBytes { UInt(bitPattern: $0.baseAddress) } }
    #expect(Set(addresses).count == secrets.count)
  }

  @Test func `Concurrent tasks make, read and release secrets without seeing each other's`() async {
    await withTaskGroup(of: Bool.self) { group in
      for task in 0..<16 {
        group.addTask {
          for round in 0..<500 {
            let byte = UInt8(truncatingIfNeeded: task * 31 + round)
            let secret = SecretBytes(copying: [UInt8](repeating: byte, count: 1 + round % 64)[...])
            let failed =
              (try? SymmetricKey.random().openSecret(.init(repeating: byte, count: 90), associated: [])) == nil
            let intact = unsafe secret.withBytes { unsafe $0.allSatisfy { $0 == byte } }
            guard failed, intact else { return false }
          }
          return true
        }
      }
      for await isIntact in group { #expect(isIntact) }
    }
  }

  @Test func `Slices and joins contain the bytes that they name`() {
    let secret = SecretBytes(copying: Array(0..<64)[...])
    let joined = SecretBytes(joining: secret.slice(32..<64), secret.slice(0..<32))
    #expect(joined.isEqual(to: SecretBytes(copying: (Array(32..<64) + Array(0..<32))[...])))
    #expect(secret.slice(10..<10).count == 0)
    #expect(secret.slice(10..<10).isEqual(to: SecretBytes(copying: [])))
    #expect(!secret.isEqual(to: joined))
    #expect(!secret.isEqual(to: secret.slice(0..<63)))
  }

  @Test func `Moving bytes into a secret empties the array`() {
    var bytes: [UInt8] = [1, 2, 3]
    let secret = SecretBytes(moving: &bytes)
    #expect(bytes.isEmpty)
    #expect(secret.isEqual(to: SecretBytes(copying: [1, 2, 3])))
  }

  @Test func `A secret's description shows none of its bytes`() {
    let secret = SecretBytes(copying: [UInt8]("canary-canary-canary".utf8)[...])
    var dumped = ""
    dump(secret, to: &dumped)
    #expect(!"\(secret)\(String(reflecting: secret))\(dumped)".contains("canary"))
  }
}
