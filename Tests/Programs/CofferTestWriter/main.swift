import Coffer
import Foundation

// Writes to a vault and prints on standard output each write that was acknowledged as durable.
//
//     CofferTestWriter PLIST NAME COUNT [PROCESS-NAME]
//
// If a name of the process is given, it takes that after it has opened the vault.
//
// For each number below COUNT it sets a new item and reads it back, and increments one of seven counters that all
// writers share. It exits with 1 at the first result that is wrong.

func say(_ text: String) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }

let arguments = CommandLine.arguments
guard (4...5).contains(arguments.count), let count = Int(arguments[3]) else {
  FileHandle.standardError.write(Data("usage: CofferTestWriter PLIST NAME COUNT [PROCESS-NAME]\n".utf8))
  exit(2)
}
do {
  let vault = try Vault.open(.file(URL(fileURLWithPath: arguments[1])))
  if arguments.count == 5 {
    try arguments[4].write(toFile: "/proc/self/comm", atomically: false, encoding: .utf8)
  }
  for number in 0..<count {
    let own = GenericPassword(service: "own", account: "\(arguments[2])-\(number)")
    try vault.set("\(arguments[2]) \(number)", for: own)
    if number % 4 == 0 {
      let counter = GenericPassword(service: "shared", account: "\(number % 7)")
      try vault.transaction {
        let value = try vault.string(for: counter).flatMap { Int($0) } ?? 0
        try vault.set("\(value + 1)", for: counter)
      }
    }
    say("\(number)")
    guard try vault.string(for: own) == "\(arguments[2]) \(number)" else {
      FileHandle.standardError.write(Data("what was written is not there\n".utf8))
      exit(1)
    }
  }
} catch {
  FileHandle.standardError.write(Data("\(error)\n".utf8))
  exit(1)
}
