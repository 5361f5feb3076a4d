import Coffer
import Foundation

// A program of the tests that writes to a vault and says on standard output what it has been told is durable.
//
//     CofferTestWriter PLIST NAME COUNT
//
// For each number below COUNT it sets an item of its own and reads it back, and counts up one of seven that all writers
// share. It ends with 1 at the first thing that is not as it must be.

func say(_ text: String) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }

let arguments = CommandLine.arguments
guard arguments.count == 4, let count = Int(arguments[3]) else {
  FileHandle.standardError.write(Data("usage: CofferTestWriter PLIST NAME COUNT\n".utf8))
  exit(2)
}
do {
  let vault = try Vault.open(.file(URL(fileURLWithPath: arguments[1])))
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
