#if os(Linux)
  import CofferTestSupport
  import Foundation

  /// A dialog program that records what it is told, and answers a question with a line.
  struct ScriptedDialog {
    let folder: TemporaryDirectory

    init(answer: String) throws {
      folder = try TemporaryDirectory()
      let script = Self.script(answer: answer, recordingIn: folder.path("spoken"))
      try Command.run(
        "sh", "-c", "printf '%s' \"$1\" > \"$2\" && chmod 700 \"$2\"", "sh", script, folder.path("pinentry"))
    }

    /// A program that appends to a file what it is told.
    static func script(answer: String, recordingIn file: String) -> String {
      """
      #!/bin/sh
      echo "OK ready"
      while read -r line; do
        printf '%s\\n' "$line" >> '\(file)'
        case $line in
          CONFIRM) \(answer) ;;
          'GETINFO flavor') echo 'D gtk2'; echo OK ;;
          *) echo OK ;;
        esac
      done
      """
    }

    /// The environment of an agent on a desktop with this dialog.
    var environment: [String: String] {
      ["DISPLAY": ":99", "COFFER_TEST_PINENTRY": folder.path("pinentry")]
    }

    func descriptions() -> [String] {
      let text = (try? String(contentsOfFile: folder.path("spoken"), encoding: .utf8)) ?? ""
      return text.split(separator: "\n").filter { $0.hasPrefix("SETDESC ") }.map { String($0.dropFirst(8)) }
    }
  }
#endif
