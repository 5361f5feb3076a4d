#if os(Linux)
  import CofferTestSupport
  import Foundation
  import Testing

  @Suite struct DiskWriteTests {
    @Test func `A durable set of a new item makes the disk write exactly once`() throws {
      let directory = try TemporaryDirectory()
      let trace = directory.path("calls")
      let sets = 20
      // The program sets one item first, and marks beginning and end with a call that names no file.
      try Command.run(
        "strace", "-f", "-qq", "-e", "trace=fsync,fdatasync", "-o", trace,
        Machine.path(of: "ItemBenchmark"), "sets", directory.path("vault"), "\(sets)")
      let calls = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
      let marks = calls.indices.filter { calls[$0].contains("(-1)") }
      try #require(marks.count == 2)
      let between = calls[marks[0] + 1..<marks[1]]
      #expect(between.count == sets, "\(between.joined(separator: "\n"))")
      #expect(between.allSatisfy { $0.hasSuffix("= 0") })
    }
  }
#endif
