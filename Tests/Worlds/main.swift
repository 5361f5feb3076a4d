import CofferFormat
import CofferTestSupport
import CofferVault
import Foundation

/// `CofferWorlds [--seed N] [--count N] [--steps N] [--without N,N…] [--shrink] [--trace] [--requests] [--forgetful]
/// [--races]`: runs worlds in one thread, and prints a line with what happened in them. It ends with exit code 1 at the
/// first that has a fault, after its trace and its seed, with which the same happens again. `--shrink` leaves out the
/// steps that the fault does not need, and `--requests` adds to the trace what machines ask of the host. In a forgetful
/// world, the host accepts a push now and then that it does not keep, and nobody calls it dishonest: the worlds must
/// find it. With `--races`, others also act between two fetches of one sync.
struct WorldRun {
  private var seed: UInt64 = 1
  private var count = 1
  private var stepCount = 200
  private var skipped: Set<Int> = []
  private var shrinks = false
  private var showsTrace = false
  private var showsRequests = false
  private var isForgetful = false
  private var hasFetchRaces = false
  private let directory: TemporaryDirectory
  private let template: WorldTemplate

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    func number() -> Int { rest.popFirst().flatMap { Int($0) } ?? 0 }
    while let argument = rest.popFirst() {
      switch argument {
      case "--seed": seed = UInt64(number())
      case "--count": count = number()
      case "--steps": stepCount = number()
      case "--without": skipped = Set((rest.popFirst() ?? "").split(separator: ",").compactMap { Int($0) })
      case "--shrink": shrinks = true
      case "--trace": showsTrace = true
      case "--requests": showsRequests = true
      case "--forgetful": isForgetful = true
      case "--races": hasFetchRaces = true
      default:
        print("CofferWorlds: unknown argument \(argument)")
        exit(2)
      }
    }
    directory = try TemporaryDirectory()
    SeededSodium.begin(seed: 0)
    template = try WorldTemplate(in: directory.url.appending(path: "template", directoryHint: .isDirectory))
  }

  /// What became of a world.
  private struct Outcome {
    let world: World
    let fault: (any Error)?
  }

  private func run(_ seed: UInt64, skipping skipped: Set<Int>) throws -> Outcome {
    // If the program ends without a word, this is the last one.
    FileHandle.standardError.write(Data("world \(seed)\n".utf8))
    let folder = directory.url.appending(path: "\(seed)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let world = try World(seed: seed, template, in: folder)
    world.isForgetful = isForgetful
    world.hasFetchRaces = hasFetchRaces
    world.showsRequests = showsRequests
    do {
      try world.run(stepCount: stepCount, skipping: skipped)
      return Outcome(world: world, fault: nil)
    } catch {
      return Outcome(world: world, fault: error)
    }
  }

  /// Runs the worlds. Returns whether none has a fault.
  func run() throws -> Bool {
    var counts: [String: Int] = [:]
    for seed in seed..<seed + UInt64(count) {
      var outcome = try run(seed, skipping: skipped)
      if let fault = outcome.fault {
        var skipped = skipped
        if shrinks { skipped = try shrink(seed) }
        if shrinks { outcome = try run(seed, skipping: skipped) }
        print(outcome.world.trace.joined(separator: "\n"))
        let steps = skipped.isEmpty ? "" : " --without \(skipped.sorted().map(String.init).joined(separator: ","))"
        let kind = (isForgetful ? " --forgetful" : "") + (hasFetchRaces ? " --races" : "")
        print("\(outcome.fault ?? fault)")
        print("again: CofferWorlds --seed \(seed) --steps \(stepCount)\(steps)\(kind) --trace")
        return false
      }
      if showsTrace { print(outcome.world.trace.joined(separator: "\n")) }
      counts.merge(outcome.world.counts, uniquingKeysWith: +)
    }
    let words = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.key) \($0.value)" }
    print("\(count) worlds: \(words.joined(separator: ", "))")
    return true
  }

  /// Returns steps without which the world still has a fault: ever smaller parts are left out as long as it has.
  private func shrink(_ seed: UInt64) throws -> Set<Int> {
    var skipped = skipped
    var size = stepCount / 2
    while size > 0 {
      for start in stride(from: 1, through: stepCount, by: size) {
        let part = Set(start..<min(start + size, stepCount + 1)).subtracting(skipped)
        if !part.isEmpty, try run(seed, skipping: skipped.union(part)).fault != nil { skipped.formUnion(part) }
      }
      size /= 2
    }
    return skipped
  }
}

// The order of sets must be the same each time.
if ProcessInfo.processInfo.environment["SWIFT_DETERMINISTIC_HASHING"] == nil {
  unsafe setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
  let arguments = unsafe CommandLine.arguments.map { unsafe strdup($0) } + [nil]
  unsafe _ = execv("/proc/self/exe", arguments)
}
// No world may see the real clock: by it, a seed would mean something else on another day.
let isSound = try Timestamp.withClock(at: World.start) {
  try WorldRun(Array(CommandLine.arguments.dropFirst())).run()
}
exit(isSound ? 0 : 1)
