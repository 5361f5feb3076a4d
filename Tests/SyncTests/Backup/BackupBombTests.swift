import CofferTestSupport
import Foundation
import Testing

/// Files in place of backups that are small, and describe far more than they have.
@Suite struct BackupBombTests {
  /// A pack in place of that of a backup, and what the error says.
  struct Bomb: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let words: String
    let pack: @Sendable () throws -> ForgedPack

    static let all = [
      Bomb(testDescription: "an object of 130 MiB", words: "an object has 136314880 bytes") {
        try ForgedPack().zeros(130 << 20)
      },
      Bomb(testDescription: "4,000 differences to one object", words: "it takes more than") {
        var pack = try ForgedPack().zeros(ForgedPack.copy)
        for number in 0..<4_000 { pack = try pack.deltaOfFirst(ForgedPack.copy, number: number) }
        return pack
      },
      Bomb(testDescription: "objects that inflate to 300 MiB", words: "it takes more than") {
        var pack = ForgedPack()
        for size in 0..<10 { pack = try pack.zeros((30 << 20) + size) }
        return pack
      },
    ]
  }

  @Test(arguments: TestRun.rows(Bomb.all))
  func `A backup that is a bomb is damaged, within 200 MiB, and stays beside a new one`(_ bomb: Bomb) throws {
    let machine = try Machine()
    try machine.makeVault()
    try machine.register("PhotoPro")
    try machine.set("one", "1")
    let folder = try TemporaryDirectory()
    let file = folder.path("coffer-bomb.backup")
    try bomb.pack().bundle().write(to: URL(fileURLWithPath: file))
    let limited = ["sh", "-c", "ulimit -d 204800 && exec \"$@\"", "sh"]
    let check = try machine.run("coffer", "backup", "check", file, wrapper: limited)
    #expect(check.exitCode == 6 && check.errors.contains("is damaged: \(bomb.words)"), "\(check)")
    for _ in 1...2 {
      let made = try machine.run("coffer", "backup", "create", "--keep", "1", folder.path, wrapper: limited)
      #expect(made.exitCode == 0 && made.text.contains("is damaged: \(bomb.words)"), "\(made)")
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(names.count == 2 && names.contains("coffer-bomb.backup"), "\(names)")
  }
}
