/// The rules of the model that a test can change, to verify that the comparison notices a difference.
struct ModelRules {
  /// Text and data with the same bytes are equal.
  var comparesTextByBytes = true
  /// Text is compared by its bytes and not by canonical equivalence.
  var tellsComposedTextApart = true
  /// A number never equals the text of its digits.
  var tellsNumbersFromDigits = true
  /// Text that spells a number is stored as the number if the attribute is numeric.
  var readsNumericText = true
  /// Empty and zero count as absent.
  var takesEmptyForAbsent = true
  /// Results include the attributes of the primary key that were not set.
  var returnsAbsentPrimaryKey = true
  /// A synchronizable item and one that is not may have otherwise equal primary keys.
  var keepsTwins = true
  /// The access group is part of the primary key.
  var keepsGroupsApart = true
  /// A label is not part of the primary key.
  var ignoresLabelInPrimaryKey = true
  /// A search without synchronizability finds only items that are not synchronizable.
  var searchesUnsynchronizedOnly = true
  /// A search returns one item unless a limit is given.
  var limitsToOne = true
  /// An update that fails changes nothing.
  var updatesAllOrNothing = true
  /// A persistent reference stays the same when the item moves to another group.
  var keepsReferenceOnMove = true
  /// A search can be narrowed by accessibility.
  var filtersByProtection = true
  /// Certificates are always accessible unless another accessibility is given.
  var opensCertificates = true
  /// A deletion ignores the limit.
  var deletesAllMatches = true
  /// Updates and deletions skip groups that the caller may only read.
  var sparesReadOnlyGroups = true
  /// `NSNull` removes an attribute.
  var clearsWithNull = true
  /// Results begin with the item that was added first.
  var listsOldestFirst = true
}
