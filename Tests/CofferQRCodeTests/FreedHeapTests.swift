#if os(Linux)
  import CofferCrypto
  import CofferQRCode
  import CofferTestSupport
  import Foundation
  import Testing

  /// Each test runs in a process of its own, as the program does: other threads have heaps of their own.
  @Suite(.enabled(if: geteuid() == 0, "only root can read the memory of this process from another one"))
  struct FreedHeapTests {
    /// The end of a secret, in hexadecimal: an allocator writes over the beginning of freed memory.
    private static func ending(of secret: SecretText, _ digits: (UInt8) -> String) -> String {
      unsafe secret.withBytes { bytes in
        unsafe bytes.suffix(24).map(digits).joined()
      }
    }

    @Test func `No copy of a text as long as a code, or longer, is left in ordinary memory, as bytes or as bits`() async
    {
      await #expect(processExitsWith: .success) {
        for byteCount in [48, 120] {
          let secret = SampleText.secret(byteCount: byteCount)
          let code = try QRCode(secret)
          let drawing = code.terminalDrawing()
          let memory = ProcessMemory(of: getpid())
          let text = try memory.counts(ofHexadecimal: Self.ending(of: secret) { String($0, radix: 16) })
          #expect(text.guarded == 1 && text.ordinary == 0, "\(byteCount) bytes")
          // libqrencode makes the codewords of a text in which each byte is one bit.
          let bits = Self.ending(of: secret) { byte in
            (0..<8).reversed().map { byte >> $0 & 1 == 1 ? "01" : "00" }.joined()
          }
          #expect(try memory.counts(ofHexadecimal: bits).ordinary == 0, "\(byteCount) bytes")
          #expect(drawing.count > 0)
        }
      }
    }

    @Test func `The modules and the drawing are in guarded memory only`() async {
      await #expect(processExitsWith: .success) {
        let code = try QRCode(SampleText.secret(byteCount: 48))
        let drawing = code.terminalDrawing()
        // A line in the middle, with the text's modules.
        let bytes = drawing.count / 2..<drawing.count / 2 + 60
        let digits = unsafe drawing.withBytes { drawing in
          unsafe drawing[bytes].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
        let counts = try ProcessMemory(of: getpid()).counts(ofHexadecimal: digits)
        #expect(counts.guarded == 1 && counts.ordinary == 0)
        #expect(code.width == 33)
      }
    }
  }
#endif
