internal import ArgumentParser

/// Whether a change of membership waits for entries of the log that another machine has seen.
struct ClaimOptions: ParsableArguments {
  @Flag(
    help: ArgumentHelp(
      "Change membership although another machine has seen entries of the membership log that this one lacks.",
      discussion: "For a machine that cannot be trusted. If it is right, the log forks."))
  var despiteClaims = false
}
