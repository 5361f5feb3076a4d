internal import Coffer
package import CofferCrypto
internal import CofferFormat
internal import CofferKeys

/// A headless credential that was just created. Its keys exist nowhere else.
package struct NewHeadlessCredential: Sendable {
  private let credential: HeadlessCredential
  /// The identifier of the machine, in hexadecimal.
  package let machineID: String
  /// The full identifiers of its apps, in ascending order.
  package let applications: [String]
  /// The full names of the groups that it reads, in ascending order.
  package let groups: [String]

  init(_ credential: HeadlessCredential, device: DeviceID, groups: [String]) {
    self.credential = credential
    machineID = device.description
    applications = credential.apps.map(\.applicationID)
    self.groups = groups
  }

  /// The text of the file.
  package var text: SecretText {
    var bytes = credential.secretText()
    return SecretText(moving: &bytes)
  }
}
