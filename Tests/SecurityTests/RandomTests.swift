internal import Foundation
internal import Security
internal import Testing

@Suite struct RandomTests {
  @Test(arguments: [0, 1, 255, 256, 257, 5000])
  func `The requested number of bytes is filled, and none beyond`(_ count: Int) {
    var bytes = [UInt8](repeating: 0, count: count + 16)
    let status = unsafe SecRandomCopyBytes(kSecRandomDefault, count, &bytes)
    #expect(status == errSecSuccess)
    #expect(bytes.suffix(16).allSatisfy { $0 == 0 })
    if count >= 255 { #expect(Set(bytes.prefix(count)).count > 100) }
    // The last request is filled to its end: 32 zeros in a row are practically impossible.
    if count >= 255 { #expect(bytes.prefix(count).suffix(32).contains { $0 != 0 }) }
  }

  @Test func `A negative count is errSecParam`() {
    var byte: UInt8 = 0
    let status = unsafe SecRandomCopyBytes(kSecRandomDefault, -1, &byte)
    #expect(status == errSecParam)
    #expect(byte == 0)
  }
}
