internal import CofferFormat
internal import Foundation
internal import Security
internal import Testing

@Suite struct AccessControlTests {
  private func make(_ flags: SecAccessControlCreateFlags, _ protection: CFTypeRef = kSecAttrAccessibleWhenUnlocked)
    -> SecAccessControl?
  {
    SecAccessControlCreateWithFlags(kCFAllocatorDefault, protection, flags, nil)
  }

  @Test func `Flags have Apple's bits`() {
    #expect(SecAccessControlCreateFlags.userPresence.rawValue == 1)
    #expect(SecAccessControlCreateFlags.biometryAny.rawValue == 2)
    #expect(SecAccessControlCreateFlags.touchIDAny == .biometryAny)
    #expect(SecAccessControlCreateFlags.biometryCurrentSet.rawValue == 8)
    #expect(SecAccessControlCreateFlags.touchIDCurrentSet == .biometryCurrentSet)
    #expect(SecAccessControlCreateFlags.devicePasscode.rawValue == 16)
    #expect(SecAccessControlCreateFlags.watch.rawValue == 32)
    #expect(SecAccessControlCreateFlags.or.rawValue == 0x4000)
    #expect(SecAccessControlCreateFlags.and.rawValue == 0x8000)
    #expect(SecAccessControlCreateFlags.privateKeyUsage.rawValue == 0x4000_0000)
    #expect(SecAccessControlCreateFlags.applicationPassword.rawValue == 0x8000_0000)
  }

  @Test func `Combinations that Apple allows are allowed`() {
    let allowed: [SecAccessControlCreateFlags] = [
      [], .userPresence, .biometryAny, .biometryCurrentSet, .devicePasscode, .watch, .applicationPassword,
      [.userPresence, .applicationPassword], [.userPresence, .privateKeyUsage, .applicationPassword],
      [.biometryAny, .or, .devicePasscode], [.biometryCurrentSet, .and, .devicePasscode], .privateKeyUsage,
      [.biometryCurrentSet, .privateKeyUsage],
    ]
    for flags in allowed { #expect(make(flags) != nil, "\(flags)") }
  }

  @Test func `Combinations and protections that Apple refuses are errSecParam`() {
    let refused: [(SecAccessControlCreateFlags, CFTypeRef)] = [
      ([.or, .and], kSecAttrAccessibleWhenUnlocked),
      ([.biometryAny, .biometryCurrentSet], kSecAttrAccessibleWhenUnlocked),
      ([.userPresence, .biometryAny], kSecAttrAccessibleWhenUnlocked),
      ([.userPresence, .or], kSecAttrAccessibleWhenUnlocked),
      (SecAccessControlCreateFlags(rawValue: 1 << 40), kSecAttrAccessibleWhenUnlocked),
      ([], kSecAttrAccount), ([], NSNumber(value: 1)),
    ]
    for (flags, protection) in refused {
      let left = unsafe failure {
        unsafe #expect(SecAccessControlCreateWithFlags(nil, protection, flags, $0) == nil)
      }
      #expect(left?.domain == NSOSStatusErrorDomain)
      #expect(left?.code == Int(errSecParam))
    }
  }

  @Test func `The bytes are frozen, and decoded to the encoded values`() throws {
    let control = try #require(
      make([.userPresence, .applicationPassword], kSecAttrAccessibleWhenUnlockedThisDeviceOnly))
    #expect(control.serialized == [1, 0, 0, 0, 3] + Array("aku".utf8) + [0, 0, 0, 0, 0x80, 0, 0, 1])
    let again = try SecAccessControl(serialized: control.serialized)
    #expect(again == control)
    #expect(again.requiresPresence && again.requiresApplicationPassword)
    #expect(make([]) != control)
    #expect(CFGetTypeID(control) == SecAccessControlGetTypeID())
    #expect(CFEqual(control, again))
  }

  @Test func `Bytes that are not an access control are refused by name`() throws {
    let bytes = try #require(make([.biometryAny, .or, .devicePasscode])).serialized
    for count in 0..<bytes.count {
      #expect(throws: FormatError.self) { try SecAccessControl(serialized: Array(bytes.prefix(count))) }
    }
    #expect(throws: FormatError.self) { try SecAccessControl(serialized: bytes + [0]) }
    var contradiction = bytes
    contradiction[contradiction.count - 2] |= 0x80
    #expect(throws: FormatError.self) { try SecAccessControl(serialized: contradiction) }
    var future = bytes
    future[0] = 2
    #expect(throws: FormatError.self) { try SecAccessControl(serialized: future) }
  }
}
