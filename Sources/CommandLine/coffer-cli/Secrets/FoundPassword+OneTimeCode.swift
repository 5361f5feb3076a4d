internal import Coffer
internal import CofferOneTimeCodes
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

extension FoundPassword {
  /// The error for an item without a seed.
  func withoutOneTimeCodes(app: String?) -> VaultError {
    VaultError(
      .itemNotFound, "\(Output.cell(title)) has no one-time codes",
      recoverySuggestion: "add them with: \(NextCommand.line("otp add", [place, account], app: app, group: group))")
  }

  /// The names in one line.
  var title: String { account.isEmpty ? place : "\(place), \(account)" }

  /// The code at this moment, with what it was computed from, in the output of `otp --json`.
  func json(_ code: OneTimeCode, of seed: OneTimePassword) -> JSONObject {
    let object: JSONObject = [
      "code": code.text, "secondsLeft": code.secondsLeft(), "validFrom": code.validFrom, "validUntil": code.validUntil,
      "period": seed.period, "digitCount": seed.digitCount, "algorithm": seed.algorithm.rawValue,
    ]
    return object.including(json())
  }
}
