import CofferSystem
import Testing

@Suite struct ByteSearchTests {
  @Test(arguments: ["-----BEGIN KEY", "text before\n-----BEGIN ", "------BEGIN -", "-----BEGI-----BEGIN "])
  func `A text is found at any place, also after a part of it`(text: String) {
    #expect(Array(text.utf8).hasText("-----BEGIN "))
    #expect(text.utf8.hasText("-----BEGIN "))
    #expect(Array(text.utf8).lazy.map { $0 }.hasText("-----BEGIN "))
  }

  @Test(arguments: ["", "-", "-----BEGIN", "-----begin ", "BEGIN -----"])
  func `Bytes that only begin as a text, or have its parts elsewhere, do not have it`(text: String) {
    #expect(!Array(text.utf8).hasText("-----BEGIN "))
  }
}
