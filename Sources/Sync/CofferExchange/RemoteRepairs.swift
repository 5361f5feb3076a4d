/// What the next commit changes at the remote, besides what this machine adds.
struct RemoteRepairs {
  /// The objects that the remote should have and does not, or has in another form: they are pushed again.
  var lost: Set<RemoteLayout.Place> = []
  /// The places of objects that cannot be used and may be valid: nothing is pushed over them.
  var unresolved: Set<RemoteLayout.Place> = []
  /// The paths of files and folders that are certainly not valid. They are removed.
  var invalidPaths: Set<String> = []
  /// The paths of files and folders of an unknown kind. They are removed, unless the log announces them.
  var unknownPaths: Set<String> = []
  /// The paths of folders with names that no program can use, or out of order. They are written anew without such entries.
  var uncleanFolders: Set<String> = []

  var removesFiles: Bool { !invalidPaths.isEmpty || !uncleanFolders.isEmpty }
}
