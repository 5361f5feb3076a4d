import CofferSystem
import CofferTestSupport
import Foundation
import Testing

/// What programs and libraries tell the loader.
@Suite struct ELFLinkageTests {
  private func linkage(of bytes: [UInt8]) throws(ELFLinkage.Flaw) -> ELFLinkage {
    try ELFLinkage { offset, count in
      Array(bytes.dropFirst(Int(clamping: offset)).prefix(count))
    }
  }

  private func folders(of bytes: [UInt8]) throws(ELFLinkage.Flaw) -> [String] { try linkage(of: bytes).folders }

  #if os(Linux)
    private func program(_ options: String...) throws -> [UInt8] {
      let directory = try TemporaryDirectory()
      let source = try directory.write("main.c", "int main(void) { return 0; }\n")
      let path = directory.path("program")
      try Command.run(arguments: ["clang", source, "-o", path] + options)
      return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    @Test func `The loader and the libraries are those that the linker was given`() throws {
      let plain = try linkage(of: program())
      #expect(plain.interpreter?.contains("ld-linux") == true)
      #expect(plain.libraries == ["libc.so.6"])
      let other = try linkage(of: program("-Wl,--dynamic-linker=/own/loader", "-Wl,--no-as-needed", "-lm"))
      #expect(other.interpreter == "/own/loader")
      #expect(Set(other.libraries).isSuperset(of: ["libc.so.6", "libm.so.6"]))
      let still = try linkage(of: program("-static"))
      #expect(still.interpreter == nil && still.libraries.isEmpty)
    }

    @Test func `The folders are those that the linker was given, by either tag`() throws {
      #expect(try folders(of: program()) == [])
      let path = "-Wl,-rpath,/one:$ORIGIN/two:three"
      for tag in ["--enable-new-dtags", "--disable-new-dtags"] {
        #expect(try folders(of: program(path, "-Wl,\(tag)")) == ["/one", "$ORIGIN/two", "three"])
      }
      #expect(try folders(of: program("-static")) == [])
    }

    @Test func `No damaged program ends this one`() throws {
      let bytes = try program("-Wl,-rpath,/one")
      for count in stride(from: 0, to: min(bytes.count, 16_384), by: 97) {
        _ = try? folders(of: Array(bytes.prefix(count)))
      }
      for place in stride(from: 0, to: 2_048, by: 1) {
        for change in [UInt8(0xff), 0x80, 1] {
          var changed = bytes
          changed[place] ^= change
          _ = try? folders(of: changed)
        }
      }
    }
  #endif

  @Test func `A script and a program of another kind are named as such`() {
    #expect(throws: ELFLinkage.Flaw.notELF) { try folders(of: Array("#!/bin/sh\n".utf8)) }
    #expect(throws: ELFLinkage.Flaw.notELF) { try folders(of: []) }
    #expect(throws: ELFLinkage.Flaw.unsupported) { try folders(of: [0x7f, 0x45, 0x4c, 0x46, 1, 1]) }
  }
}
