import Foundation

let arguments = CommandLine.arguments
do {
  switch arguments.dropFirst().first {
  case "save": try TokenStore(account: arguments[2]).save(readLine() ?? "")
  case "load": print(try TokenStore(account: arguments[2]).load() ?? "none")
  default: print("usage: Reminders save|load ACCOUNT")
  }
} catch {
  print("Reminders: \(error.localizedDescription)")
  #if os(Linux)
    if let explanation = SecCopyLastErrorExplanation() { print(explanation) }
  #endif
}
