internal import ArgumentParser
internal import CofferGit
internal import CofferExchange
internal import CofferPlatform
internal import CofferVault

/// Which request a command is about. Nothing of it is secret: the host sees it.
struct InvitationOptions: ParsableArguments {
  @Option(help: "The folder with the cache.")
  var into: String
  @Option(help: "The invitation's identifier, in hexadecimal.")
  var invitation: String
  @Option(help: "The request's label, in hexadecimal.")
  var label: String
  @OptionGroup var remote: RemoteAccessOptions
  @Argument(help: "The repository's URL or path.")
  var url: String

  var folder: VaultFolder { VaultFolder(URL(fileURLWithPath: into, isDirectory: true)) }

  func exchange(_ cancellation: Cancellation) throws(VaultError) -> EnrolmentRequestExchange {
    try EnrolmentRequestExchange(
      invitation: invitation, label: label, access: remote.access, cancellation: cancellation)
  }
}
