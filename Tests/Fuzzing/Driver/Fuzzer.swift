internal import CFuzzer
package import CofferFuzzing
internal import Foundation
internal import Synchronization

/// Runs libFuzzer on one target.
package enum Fuzzer {
  /// The target of this process: libFuzzer's callback has no argument for it.
  private static let target = Mutex<FuzzTarget?>(nil)

  /// Writes the seeds of a target to a folder, runs libFuzzer and ends the program.
  ///
  /// `COFFER_FUZZ_TARGET` is the target's name and `COFFER_FUZZ_SEEDS` the folder. All arguments are libFuzzer's, which
  /// may start this program again with others.
  ///
  /// - Parameter targets: The targets of the program.
  /// - Throws: An error if there is no such target, or the seeds cannot be created.
  package static func main(_ targets: [FuzzTarget]) throws -> Never {
    let environment = ProcessInfo.processInfo.environment
    guard let chosen = targets.first(where: { $0.description == environment["COFFER_FUZZ_TARGET"] }),
      let seeds = environment["COFFER_FUZZ_SEEDS"]
    else { throw BrokenPromise("COFFER_FUZZ_TARGET and COFFER_FUZZ_SEEDS are not set; run Scripts/fuzz") }
    for (index, seed) in try chosen.seeds().enumerated() {
      try Data(seed).write(to: URL(filePath: seeds).appending(path: "seed-\(index)"))
    }
    target.withLock { $0 = chosen }
    var arguments = CommandLine.arguments
    arguments.insert("-max_len=\(chosen.maximumByteCount)", at: 1)

    var count = CInt(arguments.count)
    // libFuzzer keeps the arguments, so they are never freed.
    let copies = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: arguments.count + 1)
    for (index, argument) in arguments.enumerated() { unsafe copies[index] = strdup(argument) }
    unsafe copies[arguments.count] = nil
    var list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = unsafe copies
    exit(
      unsafe LLVMFuzzerRunDriver(&count, &list) { start, count in
        unsafe Fuzzer.check(Array(UnsafeBufferPointer(start: start, count: count)))
        return 0
      })
  }

  private static func check(_ bytes: [UInt8]) {
    do {
      try target.withLock { $0 }?.check(bytes)
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      // libFuzzer takes it for a crash and keeps the input.
      abort()
    }
  }
}
