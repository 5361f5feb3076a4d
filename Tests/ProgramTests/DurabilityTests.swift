import CofferTestSupport
import Foundation
import Testing

@Suite struct DurabilityTests {
  private let pro = ["--app", "com.example.photo.pro"]

  @Test func `Four processes that write at the same time lose nothing`() throws {
    let machine = try Machine.withExamples()
    let program = Machine.path(of: "coffer")
    let running = try (0..<4).map { writer in
      // Each is a chain of processes, so that its fifty writes interleave with those of the others.
      let script = """
        for i in $(seq 50); do
          printf "$i" | "$0" set "writer \(writer)" "$i" --app com.example.photo.pro || exit 1
          printf "\(writer) $i" | "$0" set contended item --app com.example.photo.pro || exit 1
        done
        """
      return try machine.start("/bin/sh", ["-c", script, program])
    }
    for outcome in try running.map({ try $0.wait() }) { #expect(outcome.exitCode == 0, "\(outcome)") }
    let rows = try machine.json([ItemRow].self, "list")
    #expect(rows.count == 201)
    for writer in 0..<4 {
      #expect(Set(rows.filter { $0.service == "writer \(writer)" }.map(\.account)) == Set((1...50).map(String.init)))
    }
    // The writes of one machine are ordered, so no two of them are in conflict.
    #expect(!rows.contains { $0.hasConflict })
    #expect(try machine.succeed("coffer", ["get", "contended", "item"] + pro).hasSuffix(" 50"))
  }

  @Test func `Concurrent registrations all succeed`() throws {
    let machine = try Machine()
    try machine.makeVault()
    let plists = try (0..<4).map {
      try machine.plist(
        "com.example.app\($0)", groups: ["~com.example.app\($0)", "~com.example.shared"], as: "app\($0)")
    }
    let running = try plists.map { try machine.start("coffer", ["app", "add", $0]) }
    for outcome in try running.map({ try $0.wait() }) { #expect(outcome.exitCode == 0, "\(outcome)") }
    try machine.coffer("set", "s", "a", "--app", "com.example.app0", "--group", "com.example.shared", input: "v")
    for index in 0..<4 {
      #expect(try machine.coffer("get", "s", "a", "--app", "com.example.app\(index)") == "v")
    }
  }
}
