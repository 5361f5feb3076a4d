import CofferSystem
import Testing

@Suite struct OutputMaskTests {
  /// Returns what is shown of a text that arrives in pieces of a size.
  private func shown(_ text: String, masking values: [String], pieces: Int = .max) -> String {
    var mask = OutputMask(values.map { Array($0.utf8) })
    var shown: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      shown += mask.mask(rest.prefix(pieces))
      rest = rest.dropFirst(pieces)
    }
    shown += mask.finish()
    return String(decoding: shown, as: UTF8.self)
  }

  @Test(arguments: [1, 2, 3, 5, .max])
  func `Values are masked wherever the output is divided`(pieces: Int) {
    #expect(shown("a secret, secretsecret.", masking: ["secret"], pieces: pieces) == "a [masked], [masked][masked].")
    #expect(shown("sesecret secre", masking: ["secret"], pieces: pieces) == "se[masked] secre")
    #expect(shown("no such text", masking: ["secret"], pieces: pieces) == "no such text")
  }

  @Test(arguments: [1, 4, .max])
  func `Values that begin with each other or overlap leave nothing of either`(pieces: Int) {
    #expect(
      shown("x token-long y token z", masking: ["token", "token-long"], pieces: pieces) == "x [masked] y [masked] z")
    #expect(shown("abcdefgh", masking: ["abcd", "cdef"], pieces: pieces) == "[masked]gh")
    #expect(shown("aaaaaaa", masking: ["aaaa"], pieces: pieces) == "[masked]")
  }

  @Test func `What cannot become a value is shown at once, and the rest when it is known`() {
    var mask = OutputMask([Array("secret".utf8)])
    #expect(mask.mask(Array("prompt: s".utf8)) == Array("prompt: ".utf8))
    #expect(mask.mask(Array("ure".utf8)) == Array("sure".utf8))
    #expect(mask.mask(Array("secre".utf8)).isEmpty)
    #expect(mask.finish() == Array("secre".utf8))
  }

  @Test func `Values of fewer than four bytes are not masked, and any bytes can be one`() {
    #expect(shown("abc", masking: ["abc", ""]) == "abc")
    var mask = OutputMask([[0, 0xFF, 10, 0]])
    #expect(mask.mask([1, 0, 0xFF, 10, 0, 2]) == [1] + OutputMask.replacement + [2])
  }
}
