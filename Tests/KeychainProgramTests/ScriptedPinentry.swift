import CofferTestSupport
import Foundation

/// A pinentry program with prepared answers, for a program that is run with `--pinentry`.
struct ScriptedPinentry {
  enum Answer {
    case text(String)
    case cancel
  }

  private let folder: TemporaryDirectory
  /// The path of the program.
  var program: String { folder.path("pinentry") }

  /// Gives the answers in this order; asked again after the last, it reports that it cannot show a dialog.
  init(_ answers: Answer...) throws {
    folder = try TemporaryDirectory()
    let lines = answers.map { answer in
      switch answer {
      case .text(let text): "D \(text)"
      case .cancel: "ERR 83886179 Operation cancelled"
      }
    }
    try folder.write("answers", lines.map { $0 + "\n" }.joined())
    try folder.write("asked", "")
    try folder.write("spoken", "")
    try folder.writeScript(
      "pinentry",
      """
      cd '\(folder.path)' || exit 1
      echo 'OK ready'
      while read -r line; do
        printf '%s\\n' "$line" >> spoken
        case $line in
          GETPIN)
            echo asked >> asked
            answer=$(sed -n "$(wc -l < asked)p" answers)
            case $answer in
              D*) printf '%s\\nOK\\n' "$answer" ;;
              ERR*) printf '%s\\n' "$answer" ;;
              *) echo 'ERR 83918950 Inappropriate ioctl for device' ;;
            esac ;;
          BYE) exit 0 ;;
          *) echo OK ;;
        esac
      done
      """)
  }

  /// The number of times that it was asked to show its dialog.
  var askedCount: Int { get throws { try lines(of: "asked").count } }

  /// The lines that it received.
  var spoken: [String] { get throws { try lines(of: "spoken") } }

  private func lines(of file: String) throws -> [String] {
    try String(contentsOfFile: folder.path(file), encoding: .utf8).split(separator: "\n").map(String.init)
  }
}
