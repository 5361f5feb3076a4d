package typealias RegisteredGroup = AccessGroup
