internal import CofferTerminal
internal import CofferVault

extension DesktopProgram {
  /// The program in the output of `--json`.
  var json: JSONObject { ["kind": kind ?? "other", "name": name, "strength": strength] }
}
